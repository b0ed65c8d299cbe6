import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  makePostgresFolder,
  type PostgresOwner,
  postgresOwner,
  runPostgresProgram,
  startPostgresServer,
  stopPostgresServer,
} from './postgres-server.ts';

const NAMES = ['first', 'second'] as const;
type ServerName = (typeof NAMES)[number];
const USER = 'postgres';
const DATABASE = 'trellis';
/** By which the primary knows the standby that it waits for. */
const STANDBY = 'standby';

export interface PostgresPairOptions {
  /** Kept: what is in it is used again. */
  readonly folder: string;
  /** On 127.0.0.1. */
  readonly ports: Readonly<Record<ServerName, number>>;
  /** More settings of both servers. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A PostgreSQL and the standby that it waits for with each commit, on this machine. Disposing stops
 * both.
 */
export class PostgresPair implements AsyncDisposable {
  /** Of both: a client takes the one that can be written to. */
  readonly url: string;
  readonly #options: PostgresPairOptions;
  readonly #owner: PostgresOwner | undefined;
  readonly #password: string;
  readonly #servers = new Map<ServerName, ChildProcess>();
  #primary: ServerName = 'first';

  private constructor(options: PostgresPairOptions) {
    const { folder, ports } = options;
    this.#options = options;
    this.#owner = postgresOwner();
    makePostgresFolder(folder, this.#owner);
    this.#password = this.#kept('password', () => randomBytes(24).toString('hex'));
    const line = (name: ServerName) => `127.0.0.1:${ports[name]}:*:${USER}:${this.#password}\n`;
    this.#write('pgpass', NAMES.map(line).join(''));
    const hosts = NAMES.map((name) => `127.0.0.1:${ports[name]}`).join(',');
    this.url = `${this.#urlAt(hosts)}&target_session_attrs=read-write`;
  }

  /** Starts both; makes them where the folder is empty. */
  static async start(options: PostgresPairOptions): Promise<PostgresPair> {
    const pair = new PostgresPair(options);
    try {
      await pair.#start();
      return pair;
    } catch (error) {
      await pair[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where the one listens that is written to. */
  get primaryPort(): number {
    return this.#options.ports[this.#primary];
  }

  /** Of the one that is written to, or of what stands on this machine before it. */
  primaryUrl(port = this.primaryPort): string {
    return this.#urlAt(`127.0.0.1:${port}`);
  }

  /** The process of the one that is written to. */
  get primary(): ChildProcess | undefined {
    return this.#servers.get(this.#primary);
  }

  /** Undefined after a fail-over, until `addStandby`. */
  get standby(): ChildProcess | undefined {
    return this.#servers.get(this.#other);
  }

  /** Kills the primary, and makes the standby the one that is written to. It waits for nobody. */
  async failOver(): Promise<void> {
    await this.#end(this.#primary, 'SIGKILL');
    this.#primary = this.#other;
    this.#write('primary', this.#primary);
    runPostgresProgram('pg_ctl', ['promote', '-w', '-D', this.#data(this.#primary)], this.#owner);
    // What it has copied may name a standby.
    await this.#waitFor('');
  }

  /** Ends the one that is written to without a word to anybody, and starts it again. */
  async crash(): Promise<void> {
    await this.#end(this.#primary, 'SIGQUIT');
    await this.#launch(this.#primary);
  }

  /** Kills the standby: until there is one again, each commit waits. */
  loseStandby(): Promise<void> {
    return this.#end(this.#other, 'SIGKILL');
  }

  /** Copies the primary to the other one, which follows it from then on. */
  async addStandby(): Promise<void> {
    const name = this.#other;
    const data = this.#data(name);
    rmSync(data, { recursive: true, force: true });
    makePostgresFolder(data, this.#owner);
    const from = ['-d', this.#connectionTo(this.#primary), '--checkpoint=fast'];
    runPostgresProgram('pg_basebackup', [...from, '-R', '-D', data], this.#owner);
    await this.#startStandby(name);
  }

  /** Runs a statement in the one that is written to. */
  async query(sql: string): Promise<void> {
    const host = { host: '127.0.0.1', port: this.#options.ports[this.#primary] };
    const login = { user: USER, password: this.#password, database: USER };
    const client = new pg.Client({ ...host, ...login });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The primary would wait for a standby that has ended before it.
    for (const server of [this.primary, this.standby]) {
      if (server !== undefined) await stopPostgresServer(server);
    }
  }

  get #other(): ServerName {
    return this.#primary === 'first' ? 'second' : 'first';
  }

  #urlAt(hosts: string): string {
    return `postgres://${USER}:${this.#password}@${hosts}/${DATABASE}?sslmode=disable`;
  }

  async #end(name: ServerName, signal: NodeJS.Signals): Promise<void> {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'exit');
  }

  async #start(): Promise<void> {
    this.#primary = this.#kept('primary', () => 'first') === 'second' ? 'second' : 'first';
    const data = this.#data(this.#primary);
    const isNew = !existsSync(join(data, 'PG_VERSION'));
    if (isNew) this.#initialise(data);
    await this.#launch(this.#primary);
    if (isNew) await this.query(`create database ${DATABASE}`);
    // One that was the primary before a fail-over has no such file, and must be copied again.
    if (existsSync(join(this.#data(this.#other), 'standby.signal'))) {
      return this.#startStandby(this.#other);
    }
    await this.addStandby();
  }

  async #startStandby(name: ServerName): Promise<void> {
    const conninfo = `${this.#connectionTo(this.#primary)} application_name=${STANDBY}`;
    await this.#launch(name, { primary_conninfo: conninfo });
    await this.#waitFor(STANDBY);
  }

  /** Has commits wait for standbys of this name. */
  async #waitFor(names: string): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${names}'`);
    await this.query('select pg_reload_conf()');
  }

  #initialise(data: string): void {
    makePostgresFolder(data, this.#owner);
    const access = ['-A', 'scram-sha-256', `--pwfile=${this.#file('password')}`];
    runPostgresProgram('initdb', ['-D', data, '-U', USER, ...access, '-E', 'UTF8'], this.#owner);
  }

  async #launch(name: ServerName, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.#options.ports[name]),
      unix_socket_directories: '',
      ...this.#options.settings,
      ...more,
    };
    const server = await startPostgresServer(this.#data(name), settings, this.#owner);
    this.#servers.set(name, server);
    server.once('exit', () => {
      if (this.#servers.get(name) === server) this.#servers.delete(name);
    });
  }

  #data(name: ServerName): string {
    return join(this.#options.folder, name);
  }

  #file(name: string): string {
    return join(this.#options.folder, name);
  }

  /** Of libpq, with the password in a file. */
  #connectionTo(name: ServerName): string {
    const port = this.#options.ports[name];
    return `host=127.0.0.1 port=${port} user=${USER} passfile=${this.#file('pgpass')}`;
  }

  /** The text of a file that only PostgreSQL and its owner read, made when it is not there. */
  #kept(name: string, make: () => string): string {
    if (!existsSync(this.#file(name))) this.#write(name, make());
    return readFileSync(this.#file(name), 'utf8');
  }

  #write(name: string, text: string): void {
    writeFileSync(this.#file(name), text, { mode: 0o600 });
    if (this.#owner !== undefined) chownSync(this.#file(name), this.#owner.uid, this.#owner.gid);
  }
}
