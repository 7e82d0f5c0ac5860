import { workspace } from 'vscode';
import type { LogOutputChannel } from 'vscode';
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ClientCapabilities,
  type Executable,
  type FeatureState,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { languageMethods } from './features/language';
import type { CompanionCapabilities, InitializationOptions, ToolSpec } from './protocol.gen';
import { program, section } from './settings';

/** Only what is done whole is declared; for the rest the server keeps to plain LSP. */
const flags: CompanionCapabilities = {
  version: 1,
  commands: true,
  events: true,
  progress: true,
  toolCalls: true,
  approvals: true,
  questions: true,
  diagnostics: true,
  edits: true,
  language: languageMethods,
};

class Capabilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), companion: flags };
  }
  initialize(): void {
    // nothing: the server's side is read off the initialize result
  }
  getState(): FeatureState {
    return { kind: 'static' };
  }
  clear(): void {
    // nothing is held
  }
}

/** The language client. Its settings are pulled by the server, so that they pass through section(). */
export class Client extends LanguageClient {
  private starting = false;

  constructor(
    private readonly executable: Executable,
    channel: LogOutputChannel,
    tools: ToolSpec[],
  ) {
    super('companion', 'Companion', executable, {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      outputChannel: channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: (): InitializationOptions => ({
        settings: { companion: section() },
        tools,
        trusted: workspace.isTrusted,
      }),
      middleware: {
        workspace: {
          configuration: (params) => params.items.map((item) => (item.section === 'companion' ? section() : null)),
          didChangeConfiguration: () =>
            this.sendNotification(DidChangeConfigurationNotification.type, { settings: null }),
        },
      },
    });
    this.registerFeature(new Capabilities());
  }

  /** Whether another program is set than the one that runs. VS Code tells of a setting also when only its rights changed. */
  get outdated(): boolean {
    return this.executable.command !== program();
  }

  /** Starts the program. Who calls tells of a failure, with what to do; the library's own words go to the log. */
  override async start(): Promise<void> {
    if (this.state === State.StartFailed) this.forget();
    this.starting = true;
    try {
      await super.start();
    } finally {
      this.starting = false;
    }
  }

  /** Ends the server, if one runs, and starts the program that is set now. */
  override async restart(): Promise<void> {
    this.executable.command = program();
    if (this.state === State.Running) await super.restart();
    else await this.start();
  }

  override error(message: string, data?: unknown, showNotification: boolean | 'force' = true): void {
    super.error(message, data, this.starting ? false : showNotification);
  }

  /** The library knows no way back from a start that failed: it is put as it was before the first. */
  private forget(): void {
    Object.assign(this, { $state: 'initial', _onStart: undefined, _onStop: undefined, _connection: undefined });
  }
}

export function newClient(channel: LogOutputChannel, tools: ToolSpec[]): Client {
  return new Client({ command: program(), args: ['serve'] }, channel, tools);
}
