import { parseSync, Visitor } from 'rolldown/utils';

export interface DynamicCode {
  readonly offset: number;
  readonly what: string;
}

/**
 * Where code makes code of texts, or loads some that a bundler cannot know; in their order. Where
 * it catches what comes of that, it only looks whether it can, and does without.
 */
export function dynamicCodeIn(code: string): DynamicCode[] {
  const found: DynamicCode[] = [];
  const note = (offset: number, what: string): void => void found.push({ offset, what });
  const call = ({ start, callee, arguments: given }: Call): void => {
    const name = globalNameOf(callee);
    if (name === 'eval') note(start, 'eval(): code is not made from text');
    if (name === 'Function') note(start, 'Function(): code is not made from text');
    if (name !== '__require') return;
    const [wanted] = given;
    const isText = wanted?.type === 'Literal' && typeof wanted.value === 'string';
    if (isText) note(start, `require("${String(wanted.value)}"), which is not installed`);
    else note(start, 'require() of a name that is put together');
  };
  const tried: { readonly start: number; readonly end: number }[] = [];
  let depth = 0;
  const enter = (): void => void depth++;
  const leave = (): void => void depth--;
  new Visitor({
    CallExpression: call,
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
  return found.filter((one) => !isTried(one)).toSorted((a, b) => a.offset - b.offset);
}

/**
 * The code with the old way to ask for the global object, which makes code of a text, written out:
 * in as many characters.
 */
export function withGlobalObject(code: string): string {
  const pieces: string[] = [];
  let end = 0;
  new Visitor({
    CallExpression: ({ start, end: next, callee, arguments: given }) => {
      if (given.length > 0 || !isGlobalAsked(callee)) return;
      pieces.push(code.slice(end, start), 'globalThis'.padEnd(next - start));
      end = next;
    },
  }).visit(parseSync('package.js', code).program);
  return pieces.join('') + code.slice(end);
}

function isGlobalAsked(made: Callee): boolean {
  if (made.type === 'ParenthesizedExpression') return isGlobalAsked(made.expression);
  if (made.type !== 'CallExpression' && made.type !== 'NewExpression') return false;
  const [body] = made.arguments;
  return (
    globalNameOf(made.callee) === 'Function' &&
    made.arguments.length === 1 &&
    body?.type === 'Literal' &&
    /^\s*return this;?\s*$/.test(String(body.value))
  );
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
      if (object.type !== 'Identifier' || property.type !== 'Identifier') return undefined;
      return !callee.computed && GLOBALS.has(object.name) ? property.name : undefined;
    }
    default:
      return undefined;
  }
}

type Visited = NonNullable<ConstructorParameters<typeof Visitor>[0]>;
type Call = Parameters<NonNullable<Visited['CallExpression' | 'NewExpression']>>[0];
type Callee = Call['callee'];
