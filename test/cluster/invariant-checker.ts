import { type Answer, type HttpClient, valueAt } from '../support/http-client.ts';
import { countersOf, pause } from './workload.ts';

const INTERVAL_MS = 25;
/** While the server is away. */
const AWAY_INTERVAL_MS = 100;
/** What a process that stood still answers afterwards, and a machine that is too slow. */
const READ_TIMEOUTS: readonly unknown[] = ['request_timeout'];
const ENDPOINT_TIMEOUTS = [...READ_TIMEOUTS, 'endpoint_timeout'];

/**
 * Reads two counters in a loop that every commit gives the same value, in each way that there is,
 * at a server that comes and goes. The first answer in which they differ ends it.
 */
export class InvariantChecker implements AsyncDisposable {
  /** Answers that had both counters. */
  reads = 0;
  readonly #http: HttpClient;
  readonly #token: string;
  readonly #running: Promise<void>;
  #isStopping = false;
  /** Rounds in which each way has answered. */
  #rounds = 0;
  #onRound = (): void => undefined;

  constructor(http: HttpClient, token: string) {
    this.#http = http;
    this.#token = token;
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  /** Resolves when each way has answered after now; throws as `stop` does. */
  async round(): Promise<void> {
    // The one that is under way may have begun before.
    const until = this.#rounds + 2;
    while (this.#rounds < until) {
      await Promise.race([
        new Promise<void>((resolve) => (this.#onRound = resolve)),
        this.#running.then(() => Promise.reject(new Error('the checker has ended'))),
      ]);
    }
  }

  /** Throws when a mixture of two commits was seen. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#running;
    return this.reads;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const token = this.#token;
    const query = { path: '/api/node/query', token, body: { type: 'Counter' } };
    let uids: unknown[] | undefined;
    while (!this.#isStopping) {
      const listed = await this.#read(query);
      if (listed === undefined) {
        await pause(AWAY_INTERVAL_MS);
        continue;
      }
      const nodes: unknown[] = Object(listed.json).items;
      this.#check(nodes, listed);
      uids ??= nodes.map((node) => Object(node).UID);
      const many = await this.#read({ path: '/api/node/many/full', token, body: { uids } });
      this.#check(many?.json, many);
      const call = { method: 'POST', path: '/api/endpoints/run/counters', token };
      const computed = await this.#read(call, ENDPOINT_TIMEOUTS);
      this.#check(computed?.json, computed);
      if (many !== undefined && computed !== undefined) {
        this.#rounds++;
        this.#onRound();
      }
      await pause(INTERVAL_MS);
    }
  }

  #check(nodes: unknown, answer: Answer | undefined): void {
    if (answer === undefined) return;
    const [one, other, ...more] = countersOf(nodes);
    if (one === undefined || one !== other || more.length > 0) {
      throw new Error(`two commits were mixed: ${answer.text}`);
    }
    this.reads++;
  }

  /** Undefined while the server is away, and for those timeouts. */
  async #read(
    call: Parameters<HttpClient['send']>[0],
    timeouts = READ_TIMEOUTS,
  ): Promise<Answer | undefined> {
    const answer = await this.#http.send(call).catch(() => undefined);
    if (answer === undefined || answer.status === 503) return undefined;
    if (answer.status === 200) return answer;
    if (timeouts.includes(valueAt(answer.json, 'error', 'code'))) return undefined;
    throw new Error(`a read answered ${answer.status}: ${answer.text}`);
  }
}
