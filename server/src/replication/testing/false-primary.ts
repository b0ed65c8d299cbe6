import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Session } from 'node:http2';
import { must } from '#base/assert.ts';
import { loadMethods } from '../service-definition.ts';
import type { AuthenticateReply, AuthenticateRequest } from '../service-definition.ts';
import { NONCE_BYTES, SESSION_BYTES } from '../session-keys.ts';
import { framed } from './raw-replica.ts';

export interface FalsePrimary extends AsyncDisposable {
  readonly port: number;
}

/**
 * Challenges like a primary, but does not know the secret and makes up what it answers to the
 * replica's proof.
 */
export async function startFalsePrimary(
  answer: (request: AuthenticateRequest) => AuthenticateReply,
): Promise<FalsePrimary> {
  const { Challenge, Authenticate } = loadMethods();
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    void (async () => {
      const body = Buffer.concat(await Array.fromAsync(stream)).subarray(5);
      const reply =
        headers[':path'] === Challenge.path
          ? Challenge.responseSerialize({
              session: Buffer.alloc(SESSION_BYTES, 1),
              nonce: Buffer.alloc(NONCE_BYTES, 2),
            })
          : Authenticate.responseSerialize(answer(Authenticate.requestDeserialize(body)));
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(framed(reply));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = must(server.address(), 'the address of the false primary');
  return {
    port: typeof address === 'string' ? 0 : address.port,
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
