/** Time, as a test hands in its own. */
export interface RoutingClock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Aborts after the time. */
  timeout(ms: number): AbortSignal;
}

/**
 * For each question; they are asked together. Enough for a busy server far away, and little for
 * somebody who waits.
 */
const HEALTH_TIMEOUT_MS = 3_000;

/**
 * Asks servers what they are, without the token: whoever is asked may be anybody.
 *
 * `GET /health/replica` tells a replica from everything else that answers, such as a proxy's page,
 * or a replica that became a primary, where a run would write. It is told before the graph is
 * loaded too, so `GET /api/available-status`, which any server answers, is asked beside it.
 */
export class ServerHealth {
  readonly #fetch: typeof globalThis.fetch;
  readonly #clock: RoutingClock;

  constructor(fetch: typeof globalThis.fetch, clock: RoutingClock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** Whether the server is a replica with its graph loaded. Never rejects. */
  async isHealthyReplica(server: URL): Promise<boolean> {
    const [report, available] = await Promise.all([
      this.#get(server, 'health/replica'),
      this.#get(server, 'api/available-status'),
    ]);
    return report !== undefined && tellsOfReplica(report) && available !== undefined;
  }

  /**
   * Whether the server takes changes, and in which term when it is a member of several
   * (`GET /health/primary`); undefined when it does not say so in time. Never rejects.
   */
  async primaryHealth(
    server: URL,
  ): Promise<{ readonly isPrimary: boolean; readonly term: number | undefined } | undefined> {
    const answer = await this.#ask(server, 'health/primary');
    if (answer === undefined) return undefined;
    const { response, text } = answer;
    const term = Number(response.headers.get('x-msk-term') ?? undefined);
    return {
      isPrimary: response.ok && text === 'primary',
      term: Number.isSafeInteger(term) ? term : undefined,
    };
  }

  /** The body of a good answer; undefined for any other, or for none in time. */
  async #get(server: URL, path: string): Promise<string | undefined> {
    const answer = await this.#ask(server, path);
    return answer?.response.ok === true ? answer.text : undefined;
  }

  async #ask(
    server: URL,
    path: string,
  ): Promise<{ readonly response: Response; readonly text: string } | undefined> {
    try {
      const response = await this.#fetch(new URL(path, server), {
        redirect: 'manual',
        signal: this.#clock.timeout(HEALTH_TIMEOUT_MS),
      });
      return { response, text: await response.text() };
    } catch {
      // Not reachable is what was asked for, and the caller acts on it.
      return undefined;
    }
  }
}

function tellsOfReplica(text: string): boolean {
  try {
    const report: unknown = JSON.parse(text);
    if (typeof report !== 'object' || report === null || !('isReplica' in report)) return false;
    return report.isReplica === true;
  } catch {
    // Something else than this service answers there.
    return false;
  }
}
