import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { bearerToken } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { MIN_SEQUENCE } from './header-names.ts';
import { awaitMinSequence } from './sequence.ts';
import type { HttpServices } from './services.ts';

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
 * What a request must pass before its body is read, in this order: the server is ready; the replica may do it; the
 * encoding is understood; the state is recent enough, also for what it says of the caller; the caller is known and allowed.
 * In one function without promises where possible, as it is on the path of every call.
 */
export function createGate(
  operation: Operation,
  services: HttpServices,
  options: GateOptions,
): Gate {
  const { auth } = operation;
  // The status of the server must be told at any time, to anybody.
  if (operation.area === 'status') return (_request, _reply, done) => done();
  const redirectTo = operation.onReplica === 'redirect' ? options.primaryAddress : null;

  return (request, reply, done) => {
    const admit = (caller: Caller | null): void => {
      if (caller !== null) authorize(operation, caller);
      request.caller = caller;
      done();
    };
    const identify = (): void => {
      if (auth === 'none') {
        admit(null);
        return;
      }
      const caller = services.identity.authenticate(bearerToken(request, operation));
      if (caller instanceof Promise) caller.then(admit).catch(done);
      else admit(caller);
    };
    try {
      if (!services.status.ready()) throw new Problem('not_ready', 'The graph is not loaded yet.');
      if (redirectTo !== null) {
        reply
          .code(303)
          .header('location', redirectTo + request.url)
          .send();
        return;
      }
      refuseEncoding(operation, request);
      // Not for strangers.
      if (auth !== 'none' && request.headers[MIN_SEQUENCE] !== undefined) {
        services.identity.verify(bearerToken(request, operation));
      }
      const waiting = awaitMinSequence(request, reply, services, options.minSequenceWaitMs);
      if (waiting === undefined) identify();
      else waiting.then(identify).catch(done);
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
