import type { FastifyReply } from 'fastify';

/**
 * Aborts when the connection closes before the answer is out: the client has gone, or the server stops. (The framework's
 * own signal follows the request, which also closes when its body has been read.)
 */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The same to look at now and then instead of to listen to: that costs a call nothing. */
export class Disconnect {
  readonly #response: FastifyReply['raw'];

  constructor(response: FastifyReply['raw']) {
    this.#response = response;
  }

  get aborted(): boolean {
    const { closed, socket, writableFinished } = this.#response;
    return !writableFinished && (closed || socket?.destroyed === true);
  }

  get reason(): Error {
    return new Error('the client has gone');
  }
}
