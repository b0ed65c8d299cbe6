import { parseSync, Visitor } from 'rolldown/utils';

export interface DynamicCode {
  readonly offset: number;
  readonly what: string;
}

export interface LookedThrough {
  /**
   * The code with the old way to ask for the global object, which makes code of a text, written
   * out: in as many characters.
   */
  readonly code: string;
  /**
   * Where it still makes code of texts, or loads some that a bundler cannot know; in their order.
   * Where it catches what comes of that, it only looks whether it can, and does without.
   */
  readonly dynamic: readonly DynamicCode[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Looks at all of the code once. */
export function lookThrough(code: string): LookedThrough {
  const found: DynamicCode[] = [];
  const note = (offset: number, what: string): void => void found.push({ offset, what });
  const asked: Span[] = [];
  const tried: Span[] = [];
  const asking = new Set<Call>();
  const call = (made: Call): void => {
    if (asking.has(made)) return;
    const { start, callee, arguments: given } = made;
    const name = globalNameOf(callee);
    if (name === 'eval') note(start, 'eval(): code is not made from text');
    if (name === 'Function') note(start, 'Function(): code is not made from text');
    if (name !== '__require') return;
    const [wanted] = given;
    const isText = wanted?.type === 'Literal' && typeof wanted.value === 'string';
    if (isText) note(start, `require("${String(wanted.value)}"), which is not installed`);
    else note(start, 'require() of a name that is put together');
  };
  let depth = 0;
  const enter = (): void => void depth++;
  const leave = (): void => void depth--;
  new Visitor({
    CallExpression: (made) => {
      const inner = globalAskedIn(made);
      if (inner !== undefined) {
        asked.push({ start: made.start, end: made.end });
        asking.add(inner);
      }
      call(made);
    },
    NewExpression: call,
    ImportExpression: ({ start }) => note(start, 'import() of a name that is put together'),
    TryStatement: ({ block, handler }) => {
      if (handler !== null) tried.push(block);
    },
    MetaProperty: ({ start, meta }) => {
      if (meta.name === 'import') note(start, 'import.meta');
    },
    AwaitExpression: ({ start }) => {
      if (depth === 0) note(start, 'await outside of functions');
    },
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
  }).visit(parseSync('package.js', code).program);
  const isTried = ({ offset }: DynamicCode): boolean =>
    tried.some(({ start, end }) => start <= offset && offset < end);
  const dynamic = found.filter((one) => !isTried(one)).toSorted((a, b) => a.offset - b.offset);
  return { code: withGlobalObject(code, asked), dynamic };
}

function withGlobalObject(code: string, asked: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of asked) {
    // One may be asked for its own function.
    if (start < from) continue;
    pieces.push(code.slice(from, start), 'globalThis'.padEnd(end - start));
    from = end;
  }
  return pieces.join('') + code.slice(from);
}

/** Of `Function('return this')()` the call within; undefined of any other code. */
function globalAskedIn(made: Callee): Call | undefined {
  if (made.type !== 'CallExpression' || made.arguments.length > 0) return undefined;
  const inner = withoutBrackets(made.callee);
  if (inner.type !== 'CallExpression' && inner.type !== 'NewExpression') return undefined;
  const [body] = inner.arguments;
  const isAsking =
    globalNameOf(inner.callee) === 'Function' &&
    inner.arguments.length === 1 &&
    body?.type === 'Literal' &&
    /^\s*return this;?\s*$/.test(String(body.value));
  return isAsking ? inner : undefined;
}

function withoutBrackets(code: Callee): Callee {
  return code.type === 'ParenthesizedExpression' ? withoutBrackets(code.expression) : code;
}

/** Those that a program may know the global object by. */
const GLOBALS = new Set(['globalThis', 'global', 'window']);

/** What is called by its name, also as `(0, name)` or of the global object. */
function globalNameOf(callee: Callee): string | undefined {
  switch (callee.type) {
    case 'Identifier':
      return callee.name;
    case 'ParenthesizedExpression':
      return globalNameOf(callee.expression);
    case 'SequenceExpression': {
      const last = callee.expressions.at(-1);
      return last === undefined ? undefined : globalNameOf(last);
    }
    case 'MemberExpression': {
      const { object, property } = callee;
      if (callee.computed || property.type !== 'Identifier') return undefined;
      const isGlobal = object.type === 'Identifier' && GLOBALS.has(object.name);
      return isGlobal || globalAskedIn(object) !== undefined ? property.name : undefined;
    }
    default:
      return undefined;
  }
}

type Visited = NonNullable<ConstructorParameters<typeof Visitor>[0]>;
type Call = Parameters<NonNullable<Visited['CallExpression' | 'NewExpression']>>[0];
type Callee = Call['callee'];
