import type { FastifyReply } from 'fastify';
import type { Caller } from '#access/caller.ts';
import type { LiveAnswer } from './live-answers.ts';
import type { Operation } from '@trellis/contract/operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the contract that the route serves; nothing is registered without one. */
    operation?: Operation;
  }
  interface FastifyRequest {
    /** Set before the body is read, on every route that asks who is calling. */
    caller: Caller | null;
    /** Set before the body is read: what the body takes is held until this is closed. */
    response: FastifyReply['raw'] | null;
    /** Of a request with a caller, once it is handled. */
    live: LiveAnswer | null;
  }
}
