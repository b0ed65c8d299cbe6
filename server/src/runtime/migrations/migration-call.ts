import { serverCaller } from '#access/caller.ts';
import { TASK_LOG_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import { answerOf, problemOf } from '../call-outcome.ts';
import { toScript } from '../compile/script.ts';
import { type EndpointRun, Invocation, type InvocationServices } from '../invocation.ts';
import { fileNameOf } from '../endpoint-store.ts';
import type { ModuleLinker } from '../modules/module-linker.ts';
import type { RunProgress } from '../pooled-runs.ts';
import { CallFault, type CallResult, type EndpointCall } from '../sandbox/endpoint-call.ts';
import { EndpointPool, type EndpointPoolOptions } from '../sandbox/endpoint-pool.ts';
import type { SearchFeed } from '../sandbox/search-feed.ts';

export interface MigrationCallParts {
  readonly pool: Omit<EndpointPoolOptions, 'size'>;
  /** What its code asks for is done as for that of endpoints. */
  readonly services: () => InvocationServices;
  /** What its code finds. */
  readonly search: SearchFeed;
  /** Gives its code the modules that it imports, as they serve when it begins. */
  readonly linker: ModuleLinker;
}

export interface MigrationCall {
  readonly name: string;
  readonly code: string;
  /** Asks the code to stop. */
  readonly signal: AbortSignal;
  /** Ends it without asking. */
  readonly force: AbortSignal;
  readonly onLog: (text: string) => void;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Where its writes go when it is only tried. */
  readonly trialCommits?: CommitPort;
  readonly timeMaxMs: number;
}

/**
 * Runs the code of a migration in a worker of its own: it may compute for hours without keeping
 * endpoints from their turn, and can be ended without ending their calls. Resolves, and rejects,
 * once nothing of it runs any more. It runs as the system, whoever asked for it: what a start does,
 * a person does too.
 */
export async function callMigration(
  call: MigrationCall,
  { pool: options, services, search, linker }: MigrationCallParts,
): Promise<void> {
  const { name, signal, force } = call;
  const linked = await linker.link(await toScript(call.code), fileNameOf(name));
  const pool = EndpointPool.start({ ...options, size: 1 });
  using _search = search.follow((snapshot) => pool.searches.receive(snapshot));
  const ended = Promise.withResolvers<void>();
  let host: Invocation | undefined;
  const end = (): void => void pool.close();
  force.addEventListener('abort', end, { once: true });
  try {
    if (force.aborted) throw force.reason;
    // The time that it may take begins when there is a worker.
    await pool.prepare();
    const endpoint = { name, version: '1', isReadOnly: false, ...linked };
    host = hostOf(call, pool, services());
    const result = await pool.run(endpointCall(call, { endpoint, host, onEnded: ended.resolve }));
    requireGood(result);
  } catch (error) {
    // Who cancels is told at once, while the code may go on.
    if (signal.aborted) await ended.promise;
    const isThrown = error instanceof CallFault && error.kind === 'failed';
    // Its code threw on what `graph.commit()` was refused with, or its last commit was refused.
    if (host?.conflict !== undefined && (isThrown || error === host.conflict)) {
      throw conflictOf(host.conflict, host);
    }
    throw error instanceof CallFault ? failureOf(error, name) : error;
  } finally {
    force.removeEventListener('abort', end);
    await pool.close();
  }
}

function hostOf(
  { name, signal, onLog, onProgress, trialCommits }: MigrationCall,
  pool: EndpointPool,
  services: InvocationServices,
): Invocation {
  const run: EndpointRun = {
    name,
    caller: SYSTEM,
    body: null,
    headers: '{}',
    authorization: undefined,
    runKey: null,
    signal,
    onLog,
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  // No endpoint has such a name.
  const parts = {
    endpoint: `migration:${name}`,
    isReadOnly: false,
    // It writes itself, and is offered to nobody as a reader.
    mayRunOnPrimary: true,
    isTrial: trialCommits !== undefined,
    trialCommits,
    pool,
    run,
  };
  return new Invocation(parts, services);
}

interface CallParts extends Pick<EndpointCall, 'endpoint' | 'onEnded'> {
  readonly host: Invocation;
}

function endpointCall(
  { signal, timeMaxMs }: MigrationCall,
  { endpoint, host, onEnded }: CallParts,
): EndpointCall {
  const call: EndpointCall = {
    endpoint,
    caller: SYSTEM,
    body: '',
    headers: '{}',
    deadline: performance.now() + timeMaxMs,
    signal,
    parent: undefined,
    sharesTransaction: false,
    host,
    onEnded,
  };
  host.call = call;
  return call;
}

/** What an endpoint would answer with an error, is one. */
function requireGood(result: CallResult): void {
  const { status, body } = answerOf(result);
  if (status < 400) return;
  throw new Problem('migration_failed', `It answered ${status}: ${body ?? ''}`);
}

function failureOf(fault: CallFault, name: string): Problem {
  const { message, details } = problemOf(fault, name, SYSTEM);
  const text = fault.kind === 'timeout' ? 'It ran longer than a migration may' : message;
  return new Problem('migration_failed', text, {
    cause: fault,
    ...(details === undefined ? {} : { details }),
  });
}

/** In the words of who reads how a migration ended. */
function conflictOf(cause: Problem, { effects }: Invocation): Problem {
  const written = effects.hasCommitted
    ? 'What it has committed with graph.commit() stays, what it wrote after that is lost'
    : 'Nothing was written';
  const message = `Others have changed what it has read. ${written}. Run it again.`;
  return new Problem('write_conflict', message, { cause });
}

const SYSTEM = serverCaller('migration');

/** A line as it is kept and shown: without secrets, and not longer than a line may be. */
export function lineOf(text: string, redact: (json: string) => string): string {
  const redacted = String(JSON.parse(redact(JSON.stringify(text))));
  if (redacted.length <= TASK_LOG_CHARACTERS_MAX) return redacted;
  return `${redacted.slice(0, TASK_LOG_CHARACTERS_MAX)}...`;
}
