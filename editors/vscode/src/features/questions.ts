import type { CancellationToken, QuickPickItem } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import { headline, plain, type Feature } from '../feature';
import type { Question, QuestionParams, QuestionResult } from '../protocol.gen';
import { answer } from '../wire';
import { input, pick } from './pick';
import type { Waiting } from './waiting';

interface Item extends QuickPickItem {
  other?: true;
}

/** companion/question/ask: options as a quick pick, free text as an input box, one after the other. */
export class Questions implements Feature {
  constructor(private readonly waiting: Waiting) {}

  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/question/ask', (ask, token) =>
      this.waiting.put(headline(ask.questions[0]?.question ?? 'a question'), token, (t) => all(ask, t)),
    );
  }

  dispose(): void {
    // the waiting questions are the server's, it withdraws them
  }
}

async function all(ask: QuestionParams, token: CancellationToken): Promise<QuestionResult | undefined> {
  const answers: Record<string, string[]> = {};
  for (const question of ask.questions) {
    const texts = await one(question, token);
    if (texts === undefined) return undefined;
    answers[question.id] = texts;
  }
  return { answers };
}

async function one(question: Question, token: CancellationToken): Promise<string[] | undefined> {
  const title = plain(question.header);
  const options = question.options ?? [];
  if (options.length === 0) return await free(question, token);
  const items: Item[] = options.map((o) => ({ label: plain(o.label), description: plain(o.description) }));
  if (question.allowOther) items.push({ label: 'Something else…', other: true });
  const placeholder = plain(question.question);
  const chosen = await pick(items, { title, placeholder, many: question.multi === true }, token);
  if (!chosen) return undefined;
  const labels = chosen.filter((item) => !item.other).map((item) => options[items.indexOf(item)]?.label ?? item.label);
  if (!chosen.some((item) => item.other)) return labels;
  const more = await free(question, token);
  return more && [...labels, ...more];
}

async function free(question: Question, token: CancellationToken): Promise<string[] | undefined> {
  const text = await input(
    { title: plain(question.header), prompt: plain(question.question), password: question.secret === true },
    token,
  );
  return text === undefined ? undefined : [text];
}
