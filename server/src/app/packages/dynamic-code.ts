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
  const call = ({ start, callee }: Call): void => {
    if (callee.type !== 'Identifier') return;
    if (callee.name === 'eval') note(start, 'eval(): code is not made from text');
    if (callee.name === 'Function') note(start, 'Function(): code is not made from text');
    if (callee.name === '__require') note(start, 'require() of a name that is put together');
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

interface Call {
  readonly start: number;
  readonly callee: { readonly type: string; readonly name?: unknown };
}
