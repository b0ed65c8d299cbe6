import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HAPROXY, installHaproxy, installPostgres } from './debian-package.ts';
import { PostgresPair } from './postgres-pair.ts';
import { keptText } from './kept-text.ts';

const HELP = `A workspace of three members on this machine, to see how one takes over from another. PostgreSQL with
a synchronous standby holds the log, and HAProxy is in front. All of it is kept in local/cluster.

  npm run cluster                    start it, or go on with what is kept
  npm run cluster -- --fresh         begin anew
  npm run cluster -- --port 9000     use ports from 9000 on
  npm run cluster -- --folder FOLDER keep it elsewhere

Commands are read from the terminal: "help" lists them.`;

const ROOT = resolve(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'server/dist/trellis.js');
const LOOK_INTERVAL_MS = 250;

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    folder: { type: 'string', default: join(ROOT, 'local/cluster') },
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const FOLDER = resolve(options.folder);
const port = Number(options.port);
const MEMBERS = { a: port + 1, b: port + 2, c: port + 3 } as const;
const PORTS = { everything: port, reads: port + 10, first: port + 20, second: port + 21 };

type MemberName = keyof typeof MEMBERS;
const NAMES = ['a', 'b', 'c'] as const satisfies readonly MemberName[];

const address = (of: number): string => `http://${hostOf(of)}`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A random text of the folder, which is the same from then on. */
const kept = (name: string): string =>
  keptText(join(FOLDER, name), () => randomBytes(24).toString('hex'));

class Cluster implements AsyncDisposable {
  readonly #members = new Map<MemberName, ChildProcess>();
  readonly #postgres: PostgresPair;
  readonly #proxy: ChildProcess;
  readonly #closing = new AbortController();
  #primary: MemberName | undefined;

  private constructor(postgres: PostgresPair) {
    this.#postgres = postgres;
    const addresses = NAMES.map((name) => [`MEMBER_${name.toUpperCase()}`, hostOf(MEMBERS[name])]);
    const listen = { LISTEN: hostOf(PORTS.everything), LISTEN_READS: hostOf(PORTS.reads) };
    const config = join(ROOT, 'docker/members/haproxy.cfg');
    this.#proxy = spawn(HAPROXY, ['-db', '-f', config], {
      env: { ...Object.fromEntries(addresses), ...listen },
      stdio: ['ignore', createLog('haproxy'), createLog('haproxy')],
    });
    this.#proxy.once('exit', (code) => {
      if (!this.#closing.signal.aborted) say(`HAProxy ended with ${code}: see ${FOLDER}`);
    });
    for (const name of NAMES) this.start(name);
    void this.#tellPrimaries();
  }

  static async open(): Promise<Cluster> {
    say('Starting PostgreSQL, and a standby that it waits for ...');
    const { first, second } = PORTS;
    const pair = { folder: join(FOLDER, 'postgres'), ports: { first, second } };
    return new Cluster(await PostgresPair.start(pair));
  }

  get help(): string {
    const { primary, standby } = this.#postgres;
    const lines = NAMES.map((name) => {
      const role = name === this.#primary ? 'primary' : 'follower';
      const pid = this.#members.get(name)?.pid;
      const what = pid === undefined ? `ended; start it: start ${name}` : `pid ${pid}, ${role}`;
      return `  ${name}  ${address(MEMBERS[name])}  ${what}`;
    });
    return `
Open         ${address(PORTS.everything)}  as admin, password ${kept('admin-password')}
Only reads   ${address(PORTS.reads)}
Members
${lines.join('\n')}
PostgreSQL   pid ${primary?.pid ?? '-'}, its standby ${standby?.pid ?? 'is missing: start postgres'}

Lose something, and go on writing at ${address(PORTS.everything)}:
  kill a         as kill -9, or kill the pid from elsewhere; "start a" brings it back
  freeze a       stands still, as a machine without processor time; "thaw a"
  stop a         lets the lease go first, as for a new version
  kill postgres  its standby takes over; "start postgres" adds a new standby
  help, quit`;
  }

  /** Carries out a command; says what is wrong with it. */
  async run(line: string): Promise<void> {
    const [command = '', what = ''] = line.trim().split(/\s+/);
    if (command === '' || command === 'help' || command === 'status') return say(this.help);
    if (what === 'postgres' && command === 'kill') {
      if (this.#postgres.standby === undefined) return say('There is no standby: start postgres');
      await this.#postgres.failOver();
      return say('The standby is PostgreSQL now, and waits for nobody: start postgres');
    }
    if (what === 'postgres' && command === 'start') {
      if (this.#postgres.standby !== undefined) return say('The standby runs.');
      await this.#postgres.addStandby();
      return say('A new standby follows, and PostgreSQL waits for it.');
    }
    const name = NAMES.find((one) => one === what);
    if (name === undefined)
      return say(`There is no ${what || 'such'} member: a, b or c. See "help".`);
    if (command === 'start') return this.start(name);
    const signals = {
      kill: 'SIGKILL',
      freeze: 'SIGSTOP',
      thaw: 'SIGCONT',
      stop: 'SIGTERM',
    } as const;
    const known = Object.entries(signals).find(([key]) => key === command);
    if (known === undefined) return say(`There is no command ${command}. See "help".`);
    const member = this.#members.get(name);
    if (member === undefined) return say(`${name} has ended. Start it: start ${name}`);
    member.kill(known[1]);
  }

  start(name: MemberName): void {
    if (this.#members.has(name)) return say(`${name} runs.`);
    const log = createLog(name);
    const member = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, 'serve'],
      {
        env: {
          ...process.env,
          MSK_LOG: this.#postgres.url,
          MSK_MEMBER: name,
          MSK_PORT: String(MEMBERS[name]),
          MSK_PUBLIC_ADDRESS: address(PORTS.everything),
          MSK_SERVER_ADDRESS: address(MEMBERS[name]),
          MSK_GRAPH_STORAGE: join(FOLDER, name),
          MSK_JWT_KEY: kept('jwt-key'),
          MSK_ADMIN_PASSWORD: kept('admin-password'),
          MSK_CORS: [PORTS.everything, PORTS.reads, ...Object.values(MEMBERS)]
            .map(address)
            .join(';'),
          MSK_TRUSTED_PROXIES: '127.0.0.1',
        },
        stdio: ['ignore', log, log],
      },
    );
    this.#members.set(name, member);
    member.once('exit', (code, signal) => {
      this.#members.delete(name);
      if (!this.#closing.signal.aborted) say(`${name} ended (${signal ?? code}): start ${name}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const processes = [this.#proxy, ...this.#members.values()];
    const ended = processes
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map((one) => once(one, 'exit'));
    for (const one of processes) {
      one.kill('SIGCONT');
      one.kill('SIGTERM');
    }
    await Promise.all(ended);
    await this.#postgres[Symbol.asyncDispose]();
  }

  /** Says who takes over, and how long there was nobody. */
  async #tellPrimaries(): Promise<void> {
    const { signal } = this.#closing;
    let lostAt: number | undefined;
    while (!signal.aborted) {
      const found = await primaryOf();
      const now = performance.now();
      if (found === undefined) {
        if (this.#primary !== undefined && lostAt === undefined)
          say('No member is the primary ...');
        lostAt ??= now;
      } else if (found !== this.#primary) {
        const isFirst = this.#primary === undefined;
        this.#primary = found;
        const seconds = ((now - (lostAt ?? now)) / 1_000).toFixed(1);
        say(isFirst ? this.help : `${found} is the primary now, after ${seconds} s.`);
        lostAt = undefined;
      } else {
        lostAt = undefined;
      }
      await sleep(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

function hostOf(of: number): string {
  return `127.0.0.1:${of}`;
}

/** What a process writes goes to the end of a file of the folder. */
function createLog(name: string): number {
  return openSync(join(FOLDER, `${name}.log`), 'a', 0o600);
}

/** The member that says that it is the primary, once HAProxy knows it too. */
async function primaryOf(): Promise<MemberName | undefined> {
  const answers = NAMES.map(async (name) => {
    if (!(await leads(MEMBERS[name]))) throw new Error(`${name} is a follower`);
    return name;
  });
  const found = await Promise.any(answers).catch(() => undefined);
  return (await leads(PORTS.everything)) ? found : undefined;
}

async function leads(of: number): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000);
  const answer = await fetch(`${address(of)}/health/primary`, { signal }).catch(() => undefined);
  return answer?.ok === true;
}

if (options.help) {
  say(HELP);
  process.exit();
}
if (!/^\d{1,5}$/.test(options.port) || port < 1_024 || port > 65_000) {
  say(`--port is a number from 1024 to 65000, not ${options.port}`);
  process.exit(2);
}
if (options.fresh) rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
installPostgres();
installHaproxy();
if (!existsSync(HAPROXY)) {
  throw new Error('HAProxy is missing. Install it: apt-get install haproxy');
}
const lines = createInterface({ input: process.stdin });
const opening = Cluster.open().catch((error: Error): never => {
  say(`${error.message}\nThe folder is ${FOLDER}; "--folder FOLDER" chooses another one.`);
  process.exit(1);
});
await using cluster = await opening;
process.once('SIGINT', () => lines.close());
process.once('SIGTERM', () => lines.close());
for await (const line of lines) {
  if (/^\s*(quit|exit)\s*$/.test(line)) break;
  await cluster.run(line).catch((error: unknown) => say(String(error)));
}
lines.close();
say('Stopping all of it ...');
