import type { FastifyReply } from 'fastify';
import type { LiveAnswer } from './live-answers.ts';

/**
 * A signal that aborts when the connection closes before the answer is out (the client has gone, or
 * the server stops), or when the caller loses the rights that the request began with. The
 * framework's own signal follows the request, which also closes when its body has been read.
 */
export function disconnectSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  const { live } = request;
  return live === null ? controller.signal : AbortSignal.any([controller.signal, live.signal]);
}

/** The same as a flag to look at now and then. Unlike a listener it costs a call nothing. */
export class Disconnect {
  readonly #response: FastifyReply['raw'];
  readonly #live: LiveAnswer | undefined;

  constructor({ raw, request }: FastifyReply) {
    this.#response = raw;
    this.#live = request.live?.listened();
  }

  get aborted(): boolean {
    if (this.#live?.problem !== undefined) return true;
    const { closed, socket, writableFinished } = this.#response;
    return !writableFinished && (closed || socket?.destroyed === true);
  }

  get reason(): Error {
    return this.#live?.problem ?? new Error('the client has gone');
  }
}
