import { ErrorAtFirst, parse, PromiseAtFirst, SafeMap } from './primordials.ts';

/**
 * The guest's end of the bridge. Only texts, numbers and booleans cross it, in both directions: no
 * object and no function of the host is ever within reach of endpoint code.
 *
 * What the guest has to say is collected here, in the form of `frame.ts`, until the host fetches
 * it.
 */
let head = '';
let texts = '';
/** Where the host shares the realm: told when there is something to fetch. */
let wake: (() => void) | undefined;

export function wakeBy(listener: () => void): void {
  wake = listener;
}

/** `item` is a part of a JSON array: a kind, then numbers and words of ours. */
export function emit(item: string, payload: string): void {
  if (wake !== undefined && head === '') wake();
  head += `${head === '' ? '[' : ','}[${payload.length},${item}]`;
  texts += payload;
}

/** Called before what there is to say is fetched: what is better said late, is said now. */
let lastWords: (() => void) | undefined;

export function beforeDrain(listener: () => void): void {
  lastWords = listener;
}

/** There is something to fetch that is said only then. */
export function announce(): void {
  if (head === '') wake?.();
}

export function drain(): string {
  lastWords?.();
  if (head === '') return '';
  const frame = `${head}]\n${texts}`;
  head = '';
  texts = '';
  return frame;
}

interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Where the request was made, when that was worth remembering. */
  readonly origin: Error | undefined;
}

const waiters = new SafeMap<number, Waiter>();
let lastRequest = 0;

/** What the host is asked to do on behalf of a call; it answers with JSON. */
export type Operation =
  | 'get'
  | 'tryGet'
  | 'getMany'
  | 'version'
  | 'query'
  | 'search'
  | 'searchAsUser'
  | 'suggestAsUser'
  | 'write'
  | 'commit'
  | 'run'
  | 'runOnPrimary'
  | 'fetch'
  | 'embedQuery'
  | 'complete'
  | 'embed'
  | 'runAgent';

/** `payload` is the JSON text of the operation's arguments. */
export function ask(call: number, operation: Operation, payload: string): Promise<unknown> {
  const request = ++lastRequest;
  emit(`"ask",${call},${request},"${operation}"`, payload);
  // A read is too frequent to remember its place in the code; its message names what was read.
  const isRare =
    operation === 'write' ||
    operation === 'commit' ||
    operation === 'run' ||
    operation === 'runOnPrimary' ||
    operation === 'fetch' ||
    operation === 'embedQuery' ||
    operation === 'complete' ||
    operation === 'embed' ||
    operation === 'runAgent';
  const origin = isRare ? new ErrorAtFirst(operation) : undefined;
  return new PromiseAtFirst((resolve, reject) => {
    waiters.set(request, { resolve, reject, origin });
  });
}

export function settle(request: number, isValue: boolean, payload: string): void {
  const waiter = waiters.get(request);
  if (waiter === undefined) return;
  waiters.delete(request);
  const answer: unknown = parse(payload);
  if (isValue) waiter.resolve(answer);
  else waiter.reject(new Problem(answer as ProblemText, waiter.origin));
}

interface ProblemText {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: unknown;
}

/** What the host refused to do. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor({ code, message, hint, details }: ProblemText, origin?: Error) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.details = details;
    if (origin?.stack !== undefined) this.stack = origin.stack;
  }
}
