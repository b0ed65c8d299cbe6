import { type ChildProcess, fork } from 'node:child_process';
import { hash, hkdfSync } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToldAccessPage } from '@trellis/connector/row-access.ts';
import type { ConnectorReport } from '@trellis/connector/run-connector.ts';
import { type Caller, serverCaller } from '#access/caller.ts';
import type { IngestService } from '#access/ingest-service.ts';
import type { SchemaService } from '#access/schema-service.ts';
import { CONNECTOR_MEMORY_BYTES_MAX } from '#base/connector-limits.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { NODE_FILES_MAX } from '#base/limits.ts';
import { CONNECTOR_FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import { programFiles } from '#base/program-files.ts';
import type { AskedAccess, AskedRun, AskedSource, SourceReader } from '#connectors/connector.ts';
import type { NodeFiles } from '#files/node-files.ts';
import type { PrincipalService } from '#identity/principal-service.ts';
import { Channel, type Handlers, type ProcessPort } from '../threads/channel.ts';
import {
  type BroughtFile,
  type KeptState,
  OUT_OF_MEMORY,
  type SourceCalls,
  type WorkspaceCalls,
} from './source-calls.ts';

export interface SourceProcessesParts {
  /** The folder of the workspace; absolute. */
  readonly storage: string;
  /** What is remembered of runs is sealed by a secret that is made of it. */
  readonly signingKey: string;
  readonly schema: Pick<SchemaService, 'put'>;
  readonly ingest: Pick<IngestService, 'commit'>;
  readonly principals: Pick<PrincipalService, 'resolve'>;
  readonly nodeFiles: Pick<NodeFiles, 'list' | 'delete' | 'upload'>;
  /** The newest sequence that is applied. */
  readonly sequence: () => number;
}

type Asked<T> = (channel: Channel<SourceCalls, WorkspaceCalls>) => Promise<T>;

/**
 * Reads each source in a process of its own, as a source may be made to do harm: that process has
 * limits of memory, sees no file but its code, what it remembers itself, and a source on the disk,
 * and of the workspace no more than `WorkspaceCalls`. To cancel kills it: what it has committed
 * stays, and the next run goes on.
 */
export class SourceProcesses implements SourceReader {
  readonly #parts: SourceProcessesParts;
  /** Connectors whose memory a run has open: it is for one process at a time. */
  readonly #running = new Set<string>();
  readonly #readings = new Map<string, OneAtATime>();

  constructor(parts: SourceProcessesParts) {
    this.#parts = parts;
  }

  test(asked: AskedSource, signal: AbortSignal): Promise<string> {
    const { disk } = asked.reach;
    return inProcess({ disk }, BRINGS_NOTHING, signal, (channel) => channel.ask('test', asked));
  }

  async run(
    asked: AskedRun,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<ConnectorReport> {
    const { connector } = asked;
    const folder = this.#folderOf(connector);
    this.#running.add(connector);
    try {
      await this.#readings.get(connector)?.ended();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const kept = await this.#keptIn(folder, asked.memory);
      const handlers = { ...this.#workspaceFor(connector), log };
      const { disk } = asked.reach;
      return await inProcess({ folder, disk }, handlers, signal, (channel) =>
        channel.ask('run', { ...asked, ...kept }),
      );
    } finally {
      this.#running.delete(connector);
    }
  }

  access(asked: AskedAccess, signal: AbortSignal): Promise<ToldAccessPage> {
    const { connector } = asked;
    const readings = this.#readings.get(connector) ?? new OneAtATime();
    this.#readings.set(connector, readings);
    return readings.run(async () => {
      if (this.#running.has(connector)) {
        throw new Problem('task_running', 'The connector runs: its memory is read afterwards');
      }
      const folder = this.#folderOf(connector);
      const isThere = await stat(folder).then(
        () => true,
        () => false,
      );
      if (!isThere) return { items: [], total: 0 };
      const kept = await this.#keptIn(folder, asked.memory);
      return inProcess({ folder }, BRINGS_NOTHING, signal, (channel) =>
        channel.ask('access', { ...asked, ...kept }),
      );
    });
  }

  async forget(connector: string): Promise<void> {
    this.#readings.delete(connector);
    await rm(this.#folderOf(connector), { recursive: true, force: true });
  }

  /** With another key what was remembered is lost: the next run sends everything again. */
  async #keptIn(folder: string, memory: number): Promise<KeptState> {
    const purpose = 'trellis connectors';
    const derived = hkdfSync('sha256', this.#parts.signingKey, '', purpose, SECRET_BYTES);
    const stateSecret = Buffer.from(derived).toString('hex');
    const print = hash('sha256', stateSecret).slice(0, FINGERPRINT_CHARACTERS);
    const file = `${print}-${memory}.state`;
    const names = await readdir(folder);
    const stale = names.filter((name) => !name.startsWith(file));
    for (const name of stale) await rm(join(folder, name));
    return { state: join(folder, file), stateSecret };
  }

  async #replaceFile(caller: Caller, { node, name, bytes }: BroughtFile): Promise<void> {
    const { nodeFiles } = this.#parts;
    if (bytes.length > CONNECTOR_FILE_BYTES_MAX) {
      throw new Problem('body_too_large', `A file has at most ${CONNECTOR_FILE_BYTES_MAX} bytes`);
    }
    const { items } = nodeFiles.list(caller, node, { skip: 0, take: NODE_FILES_MAX });
    const former = items.find(({ Name }) => Name === name);
    if (former !== undefined) await nodeFiles.delete(caller, former.UID, '');
    const writer = nodeFiles.upload(caller, node, { name, contentType: '' }, '');
    try {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await writer.write(bytes.subarray(at, at + PIECE_BYTES));
      }
      await writer.end();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  #folderOf(connector: string): string {
    return join(this.#parts.storage, 'connectors', connector);
  }

  /** A connector brings what it likes: as one with the scopes `ingestion` and `ingestion:acl`. */
  #workspaceFor(connector: string): Omit<Handlers<WorkspaceCalls>, 'log'> {
    const { schema, ingest, principals, sequence } = this.#parts;
    const system = serverCaller(`connector ${connector}`);
    const scopes = ['ingestion', 'ingestion:acl'];
    const caller = { ...system, kind: 'connector', isAdmin: false, scopes } as const;
    return {
      putSchema: async (document) => {
        await schema.put(caller, document);
        return sequence();
      },
      ingest: (operations) => ingest.commit(caller, operations, ''),
      resolvePrincipals: (names) => principals.resolve(system, names),
      replaceFile: (file) => this.#replaceFile(system, file),
    };
  }
}

const refuse = (): never => {
  throw new Problem('forbidden', 'Only a run brings something');
};
const BRINGS_NOTHING: Handlers<WorkspaceCalls> = {
  putSchema: refuse,
  ingest: refuse,
  resolvePrincipals: refuse,
  replaceFile: refuse,
  log: () => {},
};

/** Pieces of a file in one step of the store. */
const PIECE_BYTES = 1024 * 1024;
const SECRET_BYTES = 32;
const FINGERPRINT_CHARACTERS = 16;

/** What the process sees of the disk, besides its code. */
interface VisibleFiles {
  /** Where it remembers, and may write. */
  readonly folder?: string;
  /** The source itself. */
  readonly disk?: string | null;
}

/** Rejects with `connector_failed` when it ends by itself, and with the signal's reason. */
async function inProcess<T>(
  files: VisibleFiles,
  handlers: Handlers<WorkspaceCalls>,
  signal: AbortSignal,
  ask: Asked<T>,
): Promise<T> {
  signal.throwIfAborted();
  const child = fork(new URL('./connector-worker.ts', import.meta.url), [], {
    execArgv: flagsOf(files),
    env: {},
    cwd: '/',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const channel = new Channel<SourceCalls, WorkspaceCalls>(portOf(child), handlers);
  const exited = new Promise<void>((resolve) => {
    const end = (status: number | null): void => {
      channel.end(endedWith(status));
      resolve();
    };
    child.once('exit', end);
    child.once('error', () => end(null));
  });
  try {
    return await ask(channel);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    // What it remembers is free for the next one only when it is gone.
    await exited;
  }
}

function portOf(child: ChildProcess): ProcessPort {
  return {
    hear: (listener) => void child.on('message', (message) => listener(message as never)),
    // That it has ended is seen by its end.
    postMessage: (message) => void child.send(message, () => {}),
  };
}

function flagsOf({ folder, disk = null }: VisibleFiles): string[] {
  const folders = folder === undefined ? [] : [folder];
  // What it has opened itself, it finds under the numbers that the kernel gave it.
  const readOnly = disk === null ? [] : [disk, '/proc/self/fd/'];
  return [
    '--permission',
    '--allow-worker',
    ...[...programFiles(), ...readOnly].map((path) => `--allow-fs-read=${path}`),
    ...folders.flatMap((path) => [`--allow-fs-read=${path}/`, `--allow-fs-write=${path}/`]),
    '--disable-warning=SecurityWarning',
    '--disable-warning=ExperimentalWarning',
  ];
}

function endedWith(status: number | null): Problem {
  const message =
    status === OUT_OF_MEMORY
      ? `The source takes more than ${CONNECTOR_MEMORY_BYTES_MAX / 2 ** 20} MiB of memory`
      : 'The process that reads the source has ended';
  return new Problem('connector_failed', message);
}
