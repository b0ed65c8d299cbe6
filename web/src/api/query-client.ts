import { TrellisError } from '@trellis/client/trellis-error.ts';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { session } from '../app/session.ts';

/**
 * A token that the server does not take any more ends the session, whichever call it came back
 * from.
 */
function endSessionWhenRefused(error: unknown): void {
  if (!(error instanceof TrellisError)) return;
  if (error.code === 'invalid_token' || error.code === 'missing_token') session.finish('expired');
}

/** For so long, what was read is not read again. */
export const FRESH_MS = 10_000;

/** The SDK repeats calls where that is safe, so nothing is repeated here. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSessionWhenRefused }),
  mutationCache: new MutationCache({ onError: endSessionWhenRefused }),
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
