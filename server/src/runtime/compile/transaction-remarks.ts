import type { Remark } from '@trellis/contract/shapes/endpoint.ts';
import {
  type CallExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isAwaitExpression,
  isCallExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isTryStatement,
} from 'typescript/unstable/ast/is';
import { defaultExportOf, positionAt } from './diagnostics.ts';

const REMARKS_MAX = 20;

const WRITES: ReadonlySet<string> = new Set([
  'addOrUpdate',
  'tryAdd',
  'update',
  'delete',
  'link',
  'unlink',
  'restrict',
  'unrestrict',
]);
const READS: ReadonlySet<string> = new Set(['get', 'tryGet', 'getMany', 'version']);
/** Members of the scope that show the graph without what the call has written. */
const WITHOUT_WRITES: ReadonlySet<string> = new Set(['q', 'search', 'searchAsUser']);
/** Members of the scope that ask outside of the server. */
const OUTSIDE: ReadonlySet<string> = new Set(['fetch', 'runOnPrimary', 'ai']);
const LOOPS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
]);
const BRANCHES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.CaseBlock,
]);

/** A call of the scope: `graph.update(...)` is the member `graph` and the method `update`. */
interface ScopeCall {
  readonly node: CallExpression;
  readonly member: string;
  readonly method: string | undefined;
}

/**
 * Where a call as a transaction (docs/endpoints.md) may be another thing than its author expects.
 * They are guesses by the text of code that compiles: nothing is refused for them.
 */
export function transactionRemarks(file: SourceFile): Remark[] {
  const main = defaultExportOf(file);
  const calls = main === undefined ? [] : scopeCalls(main);
  const isWrite = ({ member, method = '' }: ScopeCall) => member === 'graph' && WRITES.has(method);
  const isCommit = ({ member, method }: ScopeCall) => member === 'graph' && method === 'commit';
  const writes = calls.filter(isWrite);
  const remarks: Remark[] = [];
  const remark = (node: Node, severity: Remark['severity'], message: string) =>
    void remarks.push({
      ...positionAt(file.text, node.getStart(file)),
      code: 0,
      message,
      severity,
    });
  const lineOf = (node: Node) => positionAt(file.text, node.getStart(file)).line;

  let before: CallExpression[] = [];
  for (const call of calls) {
    if (isWrite(call)) before.push(call.node);
    else if (isCommit(call)) before = [];
    else if (WITHOUT_WRITES.has(call.member)) {
      const write = before.find((one) => mayComeBefore(one, call.node));
      if (write !== undefined) {
        remark(call.node, 'warning', withoutWrites(call.member, lineOf(write)));
        before = [];
      }
    }
  }
  for (const { node } of writes) {
    if (isForgotten(node)) remark(node, 'warning', FORGOTTEN);
    else if (isCaught(node)) remark(node, 'info', CAUGHT);
  }
  const isRead = ({ member, method = '' }: ScopeCall) =>
    member === 'q' || (member === 'graph' && READS.has(method));
  const outside = calls.find(({ member }) => OUTSIDE.has(member));
  if (outside !== undefined && writes.length > 0 && calls.some(isRead)) {
    remark(outside.node, 'info', runsOnce(outside.member));
  }
  const looped = writes.find(({ node }) => isInLoop(node));
  if (looped !== undefined && !calls.some(isCommit)) remark(looped.node, 'info', LOOP);
  const nested = calls.find(({ member, method }) => member === 'graph' && method === 'transaction');
  if (nested !== undefined) remark(nested.node, 'info', NESTED);
  return remarks.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, REMARKS_MAX);
}

const withoutWrites = (member: string, line: number): string =>
  `${member}() shows the graph without what the call has written in line ${line}. ` +
  'Read it with graph.get, or end the transaction before with await graph.commit().';
const FORGOTTEN =
  'This write is not awaited: what it is refused with is lost, and nothing comes of it once the endpoint has answered.';
const CAUGHT =
  'What others have changed meanwhile is told when the call commits, after its code has ended: not here. The call is run again then.';
const runsOnce = (member: string): string =>
  `After ${member} the call is not run again: where others have changed what it has read, its caller gets 409 write_conflict.`;
const LOOP =
  'A transaction has at most 10,000 operations: in a longer loop call await graph.commit() from time to time.';
const NESTED =
  'The call is one transaction already: these writes are committed with all others, when the endpoint has answered.';

/** Calls of the scope in the default export, in the order of the text. */
function scopeCalls(main: Node): ScopeCall[] {
  const { names, whole } = scopeNames(main);
  const memberOf = (node: Node): string | undefined => {
    if (isIdentifier(node)) return names.get(node.text);
    return isPropertyAccessExpression(node) &&
      isIdentifier(node.expression) &&
      node.expression.text === whole
      ? node.name.text
      : undefined;
  };
  const calls: ScopeCall[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node)) {
      const { expression } = node;
      const own = memberOf(expression);
      if (own !== undefined) calls.push({ node, member: own, method: undefined });
      else if (isPropertyAccessExpression(expression)) {
        const member = memberOf(expression.expression);
        if (member !== undefined) calls.push({ node, member, method: expression.name.text });
      }
    }
    node.forEachChild(visit);
  };
  visit(main);
  return calls.toSorted((a, b) => a.node.end - b.node.end);
}

/** Local names of members of the scope, by how the endpoint takes it; or its name as a whole. */
function scopeNames(main: Node): {
  readonly names: ReadonlyMap<string, string>;
  readonly whole: string | undefined;
} {
  const names = new Map<string, string>();
  const [parameter] = isFunctionLikeDeclaration(main) ? main.parameters : [];
  const taken = parameter?.name;
  if (taken === undefined) return { names, whole: undefined };
  if (isIdentifier(taken)) return { names, whole: taken.text };
  if (!isObjectBindingPattern(taken)) return { names, whole: undefined };
  for (const { name, propertyName } of taken.elements) {
    if (name === undefined || !isIdentifier(name)) continue;
    const member = propertyName !== undefined && isIdentifier(propertyName) ? propertyName : name;
    names.set(name.text, member.text);
  }
  return { names, whole: undefined };
}

/** Not where the two are in different branches, or the first one's block ends the function. */
function mayComeBefore(first: Node, second: Node): boolean {
  const around = new Set(ancestors(second));
  let below: Node = first;
  for (const node of ancestors(first)) {
    if (around.has(node)) return !BRANCHES.has(node.kind);
    if (node.kind === SyntaxKind.Block && endsFunction(node)) return false;
    if (isFunctionLikeDeclaration(node) && !isCallArgument(node)) return false;
    below = node;
  }
  return below !== first;
}

function endsFunction(block: Node): boolean {
  let last: Node | undefined;
  block.forEachChild((child) => {
    last = child;
  });
  return last?.kind === SyntaxKind.ReturnStatement || last?.kind === SyntaxKind.ThrowStatement;
}

/** Nobody waits for it: a statement of its own, or what `forEach` is given. */
function isForgotten(call: CallExpression): boolean {
  const { parent } = call;
  if (parent.kind === SyntaxKind.ExpressionStatement || parent.kind === SyntaxKind.VoidExpression) {
    return true;
  }
  const awaited = isAwaitExpression(parent) ? parent.parent : parent;
  const inner = ancestors(call).find((node) => isFunctionLikeDeclaration(node));
  if (inner === undefined || !isArrowFunction(inner) || !isCallArgument(inner)) return false;
  const { expression } = inner.parent as CallExpression;
  const isForEach = isPropertyAccessExpression(expression) && expression.name.text === 'forEach';
  return isForEach && (awaited === inner || isAwaitExpression(parent));
}

function isCaught(call: CallExpression): boolean {
  const { parent } = call;
  if (isPropertyAccessExpression(parent) && parent.name.text === 'catch') return true;
  let below: Node = call;
  for (const node of ancestors(call)) {
    if (isFunctionLikeDeclaration(node)) return false;
    if (isTryStatement(node) && node.tryBlock === below && node.catchClause !== undefined) {
      return true;
    }
    below = node;
  }
  return false;
}

function isInLoop(call: CallExpression): boolean {
  for (const node of ancestors(call)) {
    if (LOOPS.has(node.kind)) return true;
    if (isFunctionLikeDeclaration(node) && !isCallArgument(node)) return false;
  }
  return false;
}

function isCallArgument(node: Node): boolean {
  const { parent } = node;
  return isCallExpression(parent) && parent.expression !== node;
}

/** From the parent up. */
function ancestors(node: Node): Node[] {
  const found: Node[] = [];
  for (let at = node.parent; at !== undefined; at = at.parent) found.push(at);
  return found;
}
