import { resolve } from 'node:path';
import { ImportRules, readImportTable } from './import-table.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** The nodes of a syntax tree, with the members that are read here. */
interface Source {
  readonly type: string;
  readonly value?: unknown;
}
interface ImportNode {
  readonly source: Source | null;
  readonly importKind?: 'type' | 'value' | null;
  readonly exportKind?: 'type' | 'value' | null;
}
interface RuleContext {
  readonly filename: string;
  report(found: { readonly node: Source; readonly message: string }): void;
}

/**
 * The import table as a rule of the linter, so that a forbidden import is red while it is typed.
 */
const importTable = {
  meta: { type: 'problem' },
  create(context: RuleContext) {
    const rules = new ImportRules(ROOT, readImportTable(ROOT));
    const check = (source: Source | null, isTypeOnly: boolean): void => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const message = rules.complaint({
        file: context.filename,
        specifier: source.value,
        isTypeOnly,
      });
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node: ImportNode) => check(node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node: ImportNode) => check(node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node: ImportNode) => check(node.source, node.exportKind === 'type'),
      ImportExpression: (node: ImportNode) => check(node.source, false),
      TSImportType: (node: ImportNode) => check(node.source, true),
    };
  },
};

/** A plugin of the linter is a default export. */
export default { meta: { name: 'trellis' }, rules: { 'import-table': importTable } };
