import { client } from '../api/client.ts';
import { session } from './session.ts';

/** The browser forgets the session also when the server cannot be told. */
export async function signOut(): Promise<void> {
  await client.login.end().catch(() => undefined);
  session.finish('signed-out');
}
