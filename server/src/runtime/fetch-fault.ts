/** Why `fetch` rejected: what the platform says, which names no more than the host and what became of it. */
export function fetchFault(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}
