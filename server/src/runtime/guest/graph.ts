import { ask } from './channel.ts';
import { isArray, stringify } from './primordials.ts';

/**
 * `graph` of a read-only endpoint: see `graph-reads.ts` of `@trellis/endpoint` for what the methods
 * promise.
 */
export class ReadOnlyGraph {
  readonly #call: number;

  constructor(call: number) {
    this.#call = call;
  }

  get(node: unknown, key?: unknown): Promise<unknown> {
    return ask(this.#call, 'get', stringify(referenceOf(node, key)));
  }

  tryGet(node: unknown, key?: unknown): Promise<unknown> {
    return ask(this.#call, 'tryGet', stringify(referenceOf(node, key)));
  }

  getMany(nodes: unknown, keys?: unknown): Promise<unknown> {
    const named = isArray(nodes) ? nodes : keys;
    if (!isArray(named)) {
      throw new TypeError('getMany takes a list of nodes, or a type and a list of keys');
    }
    const references = [];
    for (let i = 0; i < named.length; i++) {
      references[i] = isArray(nodes) ? referenceOf(named[i]) : referenceOf(nodes, named[i]);
    }
    return ask(this.#call, 'getMany', stringify(references));
  }

  version(node: unknown, key?: unknown): Promise<unknown> {
    return ask(this.#call, 'version', stringify(referenceOf(node, key)));
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The writes as operations of ingestion: see `graph-writes.ts` of `@trellis/endpoint`. */
abstract class Writes {
  protected abstract write(operation: Members): unknown;

  addOrUpdate(node: unknown, key?: unknown, fields?: unknown, options?: Members): unknown {
    return this.write(nodeWrite('addOrUpdate', node, { ...options, key, fields }));
  }

  tryAdd(node: unknown, key?: unknown, fields?: unknown, options?: Members): unknown {
    return this.write(nodeWrite('tryAdd', node, { ...options, key, fields }));
  }

  update(node: unknown, key?: unknown, fields?: unknown, options?: Members): unknown {
    return this.write(nodeWrite('update', node, { ...options, key, fields }));
  }

  delete(node: unknown, key?: unknown, options?: Members): unknown {
    // Named by itself, its options come second.
    const isNamed = typeof key === 'object' && options === undefined;
    const { ifVersion } = Object(isNamed ? key : options) as Members;
    const reference = isNamed ? referenceOf(node) : referenceOf(node, key);
    return this.write({ op: 'delete', ...reference, ifVersion });
  }

  link(from: unknown, edge?: unknown, to?: unknown, options?: Members): unknown {
    return this.write(edgeWrite('link', from, { ...options, edge, to }));
  }

  unlink(from: unknown, edge?: unknown, to?: unknown, options?: Members): unknown {
    return this.write(edgeWrite('unlink', from, { ...options, edge, to }));
  }

  restrict(node: unknown, to?: unknown, options?: Members): unknown {
    return this.write(restriction('restrict', node, to, options));
  }

  unrestrict(node: unknown, to?: unknown, options?: Members): unknown {
    return this.write(restriction('unrestrict', node, to, options));
  }
}

/** Made of a type, a key and fields, or of one object with all of them. */
function nodeWrite(op: string, node: unknown, rest: Members): Members {
  return typeof node === 'string'
    ? { ...rest, op, type: node }
    : { ...(Object(node) as Members), op };
}

/** Made of two nodes and the edge between them, or of one object with all of them. */
function edgeWrite(op: string, from: unknown, rest: Members): Members {
  const whole = rest['edge'] === undefined ? (Object(from) as Members) : { ...rest, from };
  return { ...whole, op, from: referenceOf(whole['from']), to: referenceOf(whole['to']) };
}

/** Made of a node, and of the team or user, or both, that may see it. */
function restriction(op: string, node: unknown, to: unknown, options?: Members): Members {
  const { team, user } = Object(to) as Members;
  const { ifVersion } = Object(options) as Members;
  return {
    ifVersion,
    op,
    node: referenceOf(node),
    team: team === undefined ? undefined : referenceOf(team),
    user: user === undefined ? undefined : referenceOf(user),
  };
}

interface Outcome {
  readonly uid: string | null;
  readonly changed: boolean;
}

/** `graph` of an endpoint that may write. */
export class WritableGraph extends Writes {
  readonly #call: number;
  readonly #reads: ReadOnlyGraph;

  constructor(call: number) {
    super();
    this.#call = call;
    this.#reads = new ReadOnlyGraph(call);
  }

  get(node: unknown, key?: unknown): Promise<unknown> {
    return this.#reads.get(node, key);
  }

  tryGet(node: unknown, key?: unknown): Promise<unknown> {
    return this.#reads.tryGet(node, key);
  }

  getMany(nodes: unknown, keys?: unknown): Promise<unknown> {
    return this.#reads.getMany(nodes, keys);
  }

  version(node: unknown, key?: unknown): Promise<unknown> {
    return this.#reads.version(node, key);
  }

  async transaction(collect: (transaction: unknown) => unknown): Promise<unknown> {
    const transaction = new Transaction();
    const result = await collect(transaction);
    const operations = transaction.close();
    if (operations !== '') await ask(this.#call, 'write', `[${operations}]`);
    return result;
  }

  async commit(): Promise<void> {
    await ask(this.#call, 'commit', '{}');
  }

  protected async write(operation: Members): Promise<{ UID: string | null; changed: boolean }> {
    const outcomes = await ask(this.#call, 'write', `[${stringify(operation)}]`);
    const { uid, changed } = (outcomes as readonly Outcome[])[0] ?? { uid: null, changed: false };
    return { UID: uid, changed };
  }
}

/**
 * Collects the operations of one commit, as they are at that moment: code may go on to change the
 * objects it passed.
 */
class Transaction extends Writes {
  #operations = '';
  #isOver = false;

  close(): string {
    this.#isOver = true;
    return this.#operations;
  }

  protected write(operation: Members): void {
    if (this.#isOver) throw new Error('the transaction is over: write before its function returns');
    this.#operations += `${this.#operations === '' ? '' : ','}${stringify(operation)}`;
  }
}

/** Names one node in an operation or a query. */
export type Reference = { readonly uid: string } | { readonly type: string; readonly key: string };

interface Referring {
  readonly UID?: string;
  readonly uid?: string;
  readonly type?: string;
  readonly key?: string;
}

/**
 * From the forms in which code names a node: a UID, a node, `{uid}`, `{type, key}`, or a type and a
 * key.
 */
export function referenceOf(node: unknown, key?: unknown): Reference {
  if (typeof node === 'string') {
    return key === undefined ? { uid: node } : { type: node, key: keyText(key) };
  }
  const { UID, uid, type, key: ownKey } = Object(node) as Referring;
  const named = UID ?? uid;
  if (named !== undefined) return { uid: named };
  if (type !== undefined && ownKey !== undefined) return { type, key: keyText(ownKey) };
  throw new TypeError('a node is named by its UID, by itself, or by its type and key');
}

/** The same, a UID as it is: the host knows the UIDs of keys. */
export function nameOf(node: unknown): string | Reference {
  if (typeof node === 'string') return node;
  const reference = referenceOf(node);
  return 'uid' in reference ? reference.uid : reference;
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  throw new TypeError(`the key of a node is a text, not ${typeof key}`);
}
