// StyLua on every Lua file of this plug-in: tells those that it would change, with --write changes them.
// usage: node format.mjs FOLDER-WITH-@johnnymorganz/stylua [--write]. The configuration is that of stylua.toml.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [, , modules, mode] = process.argv;
const s = createRequire(path.join(path.resolve(modules), 'package.json'))('@johnnymorganz/stylua');
const root = path.resolve(import.meta.dirname, '..');

/** One config, from the keys of stylua.toml. */
function config() {
  const out = s.Config.new();
  const enums = { indent_type: s.IndentType, quote_style: s.QuoteStyle, collapse_simple_statement: s.CollapseSimpleStatement };
  for (const line of fs.readFileSync(path.join(root, 'stylua.toml'), 'utf8').split('\n')) {
    const [, key, value] = /^(\w+) = "?(\w+)"?$/.exec(line) ?? [];
    if (key) out[key] = enums[key] ? enums[key][value] : Number(value);
  }
  return out;
}

let wrong = 0;
for (const file of fs.readdirSync(root, { recursive: true }).filter((f) => f.endsWith('.lua'))) {
  const full = path.join(root, file);
  const text = fs.readFileSync(full, 'utf8');
  const formatted = s.formatCode(text, config(), undefined, s.OutputVerification.Full);
  if (formatted === text) continue;
  if (mode === '--write') fs.writeFileSync(full, formatted);
  else wrong++;
  console.log(`${mode === '--write' ? 'formatted' : 'not as stylua formats it'}: ${file}`);
}
process.exit(wrong > 0 ? 1 : 0);
