import { Agent, request as requestPlain, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import type { ProviderTransport, TransportRequest } from '#assistant/router/provider-client.ts';

/** The provider had closed a connection that was idle, and read nothing of the request. */
class StaleConnection extends Error {}

/**
 * Requests to providers over connections that stay open. Not `fetch`, whose streams cost a small
 * piece of an answer more than all that the router does with it.
 */
export function providerTransport(): ProviderTransport {
  const agents = {
    plain: new Agent({ keepAlive: true }),
    secure: new SecureAgent({ keepAlive: true }),
  };

  const send = (address: string, { headers, body, signal }: TransportRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      signal.throwIfAborted();
      const options = { method: 'POST', headers };
      const sent = address.startsWith('https:')
        ? requestSecure(address, { ...options, agent: agents.secure })
        : requestPlain(address, { ...options, agent: agents.plain });
      // Not as an option of the request, and without an error: by then its connection may wait for
      // the next request, and an error there is nobody's to handle.
      let answer: IncomingMessage | undefined;
      const onAbort = (): void => void (answer ?? sent).destroy();
      const ignoreAbort = (): void => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      sent.on('response', (response) => {
        answer = response;
        response.once('end', ignoreAbort);
        // The reader of the body gets the error; when nobody reads any more, it is no fault.
        response.on('error', () => {});
        resolve(response);
      });
      sent.on('close', ignoreAbort);
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
      });
      sent.end(body);
    });

  return async (address, request) => {
    const response = await send(address, request).catch((error: unknown) => {
      if (error instanceof StaleConnection) return send(address, request);
      throw error;
    });
    return {
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'] ?? '',
      retryAfter: response.headers['retry-after'] ?? null,
      body: response,
    };
  };
}
