import type { SchemaDocument } from '#graph/schema.ts';
import type { Diagnostic } from './diagnostic.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { scopeTypes } from './scope-types.ts';
import { engineDiagnostics } from './script.ts';
import { CheckTimeout, TypeChecker } from './type-checker.ts';

/**
 * Checks the code of endpoints against a schema. The compiler's process starts with the first
 * check.
 */
export class EndpointCompiler {
  readonly #checker = new TypeChecker();

  /** An empty list when the code compiles. */
  async check(code: string, schema: SchemaDocument, isReadOnly: boolean): Promise<Diagnostic[]> {
    try {
      const checked = await this.#checker.check({
        source: code,
        scope: isReadOnly ? 'read-only' : 'full',
        scopeTypes: scopeTypes(schema, isReadOnly),
      });
      const diagnostics = diagnosticsOf(code, checked, schema);
      return diagnostics.length > 0 ? diagnostics : await engineDiagnostics(code);
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      return [{ line: 1, column: 1, code: 0, message: TOOK_TOO_LONG }];
    }
  }

  close(): Promise<void> {
    return this.#checker.close();
  }
}

const TOOK_TOO_LONG = 'Checking the types of this code took too long: simplify them.';
