import type { Node, SourceFile } from 'typescript/unstable/ast';

/**
 * The nodes that an offset lies in or at the border of, those around others first. Without recursion:
 * code can be nested more deeply than calls of a function.
 */
export function nodesAround(tree: SourceFile, offset: number): Node[] {
  const around: Node[] = [tree];
  // The list grows while it is gone through.
  for (const node of around) {
    node.forEachChild((child) => {
      if (child.pos <= offset && offset <= child.end) around.push(child);
    });
  }
  return around;
}
