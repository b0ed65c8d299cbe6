import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { BASE_URL } from '../app/base-url.ts';
import { session } from '../app/session.ts';

/** Servers to read from, as the server wrote them into the page: URLs with ";" between them. */
export const REPLICAS_OF_PAGE = replicasOfPage();

/**
 * The one client of the page. It reads from the replicas that the server named in the page
 * (specification, section 4.8).
 */
export const client = new TrellisClient({
  baseUrl: BASE_URL,
  replicas: REPLICAS_OF_PAGE,
  token: session.current?.token,
});

session.subscribe(() => {
  client.token = session.current?.token;
});

function replicasOfPage(): string {
  const replicas: unknown = Reflect.get(globalThis, 'MSKREPLICAURLS');
  return typeof replicas === 'string' ? replicas : '';
}
