import { workspace } from 'vscode';

/** Sections of settings that a folder may set. All else comes from the user alone: a repository must start no program,
 * widen no right and set no address, and VS Code holds back only keys that are registered to the letter. */
const fromFolder = ['maxSteps', 'edits', 'diagnostics'];
const fromUser = [
  'model',
  'mode',
  'providers',
  'models',
  'permissions',
  'tools',
  'lsp',
  'mcp',
  'hooks',
  'prompts',
  'sandbox',
];

/** The section `companion` as the server gets it; what nobody set is left out. */
export function section(): Record<string, unknown> {
  const config = workspace.getConfiguration('companion');
  const out: Record<string, unknown> = {};
  for (const key of fromUser) {
    const value = config.inspect(key)?.globalValue;
    if (value !== undefined && value !== null) out[key] = value;
  }
  for (const key of fromFolder) {
    const set = config.inspect(key);
    const value = set?.workspaceFolderValue ?? set?.workspaceValue ?? set?.globalValue;
    if (value !== undefined && value !== null) out[key] = value;
  }
  return out;
}

/** The program to start. */
export function program(): string {
  return workspace.getConfiguration('companion').get<string>('path')?.trim() ?? 'companion';
}
