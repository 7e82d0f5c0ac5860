// Between the extension and companion: records both directions, and puts messages of a test among those of the server,
// for what the server does not do on demand. usage: node proxy.mjs FOLDER PROGRAM ARGUMENT…
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';

const [folder, program, ...args] = process.argv.slice(2);
const recorded = (name) => fs.openSync(path.join(folder, name), 'a');
const client = recorded('wire.client');
const server = recorded('wire.server');
const child = spawn(program, args, { stdio: ['pipe', 'pipe', recorded('companion.stderr')] });

process.stdin.on('data', (data) => {
  fs.writeSync(client, data);
  child.stdin.write(data);
});
process.stdin.on('end', () => child.stdin.end());
child.stdin.on('error', () => undefined); // it ended; its exit code tells
child.on('exit', (code) => process.exit(code ?? 1));

function pass(frame) {
  fs.writeSync(server, frame);
  process.stdout.write(frame);
}

let rest = Buffer.alloc(0);
child.stdout.on('data', (data) => {
  rest = Buffer.concat([rest, data]);
  for (;;) {
    const at = rest.indexOf('\r\n\r\n');
    const length = /content-length: *(\d+)/i.exec(rest.subarray(0, Math.max(at, 0)).toString());
    if (at < 0 || !length || rest.length < at + 4 + Number(length[1])) return;
    const end = at + 4 + Number(length[1]);
    pass(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
});

net
  .createServer((socket) => {
    readline.createInterface({ input: socket }).on('line', (line) => {
      pass(Buffer.from(`Content-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}`));
    });
  })
  .listen(0, '127.0.0.1', function () {
    fs.writeFileSync(path.join(folder, 'inject.port'), String(this.address().port));
  });
