import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { requireHaproxy, requirePostgres } from '../support/requires.ts';
import { ROOT } from '../rules/repository-files.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { prepareWorkload, readItems, Workload } from './workload.ts';

const ROUND = 10;

/** `npm run cluster`, and what it prints. */
class ClusterCommand implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #events = new EventEmitter();

  constructor(folder: string, port: number) {
    const args = ['tools/cluster.ts', '--folder', folder, '--port', String(port)];
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: ROOT,
      env: { ...process.env, TRELLIS_SAMPLE: 'none' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the command has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      this.#lines.push(line);
      this.#events.emit('line');
    });
    this.#child.once('exit', () => this.#events.emit('line'));
  }

  /** The number of lines so far, for `waitFor`. */
  get mark(): number {
    return this.#lines.length;
  }

  run(command: string): void {
    this.#child.stdin?.write(`${command}\n`);
  }

  /** The first line that matches, of those after `mark`. */
  async waitFor(pattern: RegExp, mark = 0): Promise<RegExpExecArray> {
    for (let at = mark; ; at++) {
      while (at >= this.#lines.length) {
        if (this.#child.exitCode !== null) {
          throw new Error(`it ended without ${pattern}:\n${this.#lines.join('\n')}`);
        }
        await once(this.#events, 'line');
      }
      const match = pattern.exec(this.#lines[at] ?? '');
      if (match !== null) return match;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.run('quit');
    await exited;
  }
}

describe.skipIf([requirePostgres(), requireHaproxy()].includes(true))('npm run cluster', () => {
  const resources = new AsyncDisposableStack();
  let cluster: ClusterCommand;
  let http: HttpClient;

  beforeAll(async () => {
    const folder = resources.use(await temporaryFolder());
    // The user that PostgreSQL runs as passes through it.
    chmodSync(folder.path, 0o711);
    writeFileSync(join(folder.path, 'admin-password'), ADMIN_PASSWORD);
    // Of each range of ports that other tests take theirs from, the upper end is free.
    const port = 33_000 + 30 * randomInt(100);
    cluster = resources.use(new ClusterCommand(folder.path, port));
    http = new HttpClient(`http://127.0.0.1:${port}`);
    await cluster.waitFor(/pid \d+, primary/);
  });
  afterAll(() => resources.disposeAsync());

  it('goes on through HAProxy when the primary and PostgreSQL are killed', async () => {
    const token = await prepareWorkload(http);
    await using workload = new Workload(http, token, { pauseMs: 10 });
    await workload.written(ROUND);

    const [, first = ''] = await cluster.waitFor(/^ {2}([abc]) .* primary$/);
    let { mark } = cluster;
    cluster.run(`kill ${first}`);
    await cluster.waitFor(new RegExp(`^${first} ended`), mark);
    const [, second] = await cluster.waitFor(/^([abc]) is the primary now/, mark);
    expect(second).not.toBe(first);
    await workload.written(ROUND);

    ({ mark } = cluster);
    cluster.run('kill postgres');
    await cluster.waitFor(/^The standby is PostgreSQL now/, mark);
    await workload.written(ROUND);
    cluster.run('start postgres');
    await cluster.waitFor(/^A new standby follows/, mark);
    cluster.run(`start ${first}`);
    await workload.written(ROUND);
    await workload.stop();

    const items = await readItems(http, token);
    const lost = workload.acknowledged.filter(({ item }) => !items.has(item));
    expect(lost).toEqual([]);
  });

  it('says what is wrong with a command', async () => {
    const { mark } = cluster;
    cluster.run('kill d');
    await cluster.waitFor(/^There is no d member: a, b or c/, mark);
    cluster.run('sing a');
    await cluster.waitFor(/^There is no command sing/, mark);
  });
});
