import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { bearerToken } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { MIN_SEQUENCE } from './header-names.ts';
import type { HttpServices } from './services.ts';
import { disconnectSignal } from './disconnect.ts';

export interface GateOptions {
  readonly primaryAddress: string | null;
  readonly minSequenceWaitMs: number;
}

export type Gate = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => void;

/**
 * The checks before the body of a request is read, in this order: the server is ready; a replica
 * may serve the operation, or redirects a known caller to the primary; the encoding is known; the
 * state is recent enough, also to know the caller; the caller is known and allowed. One function,
 * without promises where possible, because every call passes here.
 */
export function createGate(
  operation: Operation,
  services: HttpServices,
  options: GateOptions,
): Gate {
  const { auth } = operation;
  // Anybody may ask for the status of the server at any time.
  if (operation.area === 'status') return (_request, _reply, done) => done();
  const redirectTo = operation.onReplica === 'redirect' ? options.primaryAddress : null;

  return (request, reply, done) => {
    request.response = reply.raw;
    const admit = (caller: Caller | null): void => {
      if (caller !== null) authorize(operation, caller);
      request.caller = caller;
      done();
    };
    const identify = (then: (caller: Caller | null) => void): void => {
      if (auth === 'none') {
        then(null);
        return;
      }
      then(services.identity.authenticate(bearerToken(request, operation)));
    };
    try {
      if (!services.status.ready()) throw new Problem('not_ready', 'The graph is not loaded yet.');
      // Only operations that ask for a caller wait for a sequence.
      const isAhead = auth !== 'none' && request.headers[MIN_SEQUENCE] !== undefined;
      if (isAhead) services.identity.verify(bearerToken(request, operation));
      if (redirectTo !== null) {
        const redirect = (): void => {
          reply
            .code(303)
            .header('location', redirectTo + request.url)
            .send();
        };
        // The caller has seen a newer state than this replica: only the primary can tell who it is.
        if (isAhead) redirect();
        else identify(redirect);
        return;
      }
      refuseEncoding(operation, request);
      const waiting = awaitMinSequence(request, reply, services, options.minSequenceWaitMs);
      if (waiting === undefined) identify(admit);
      else waiting.then(() => identify(admit)).catch(done);
    } catch (error) {
      done(error instanceof Error ? error : new Error('a gate threw no error', { cause: error }));
    }
  };
}

function refuseEncoding(operation: Operation, request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']?.toLowerCase();
  if (encoding === undefined || encoding === 'identity') return;
  if (operation.gzip === true && encoding === 'gzip') return;
  const supported = operation.gzip === true ? ['gzip', 'identity'] : ['identity'];
  throw new Problem('unsupported_encoding', `Content-Encoding "${encoding}" is not taken here.`, {
    details: { supported },
  });
}

/**
 * Holds a request until the state has reached the sequence in `X-MSK-Min-Sequence` (open-shapes,
 * section 2). It answers no promise when there is nothing to wait for, so that the common case
 * costs no turn.
 */
function awaitMinSequence(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> | undefined {
  const header = request.headers[MIN_SEQUENCE];
  if (header === undefined) return undefined;
  const wanted = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
  if (wanted === null) {
    const message = 'must be a whole number';
    throw new Problem('invalid_request', 'The header X-MSK-Min-Sequence is not a sequence.', {
      details: { fields: [{ path: 'X-MSK-Min-Sequence', message }] },
    });
  }
  if (services.sequence() >= wanted) return undefined;
  return reach(wanted, reply, services, waitMs);
}

async function reach(
  wanted: number,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> {
  if (await services.waitForSequence(wanted, waitMs, disconnectSignal(reply))) return;
  throw new Problem('replica_behind', `Sequence ${wanted} has not arrived here yet.`, {
    details: { sequence: services.sequence() },
  });
}
