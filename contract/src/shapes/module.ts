import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { codeKind } from './build.ts';
import { diagnostic, endpointCode, endpointName } from './endpoint.ts';

/**
 * The name under which code imports a module: `#lib/<name>.ts`. A file `<name>.d.ts` would be one
 * of declarations alone.
 */
export const moduleName = endpointName.refine((name) => !name.endsWith('.d'), {
  error: 'must not end in ".d"',
});

/** The body of `POST /api/modules/create` (open-shapes, section 15). */
export const newModule = z.strictObject({ name: moduleName, code: endpointCode });
export type NewModule = Immutable<z.infer<typeof newModule>>;

export const moduleChange = z.strictObject({
  code: endpointCode,
  /** What the caller has seen: refused with `version_conflict` when there is a newer one. */
  version: z.int().min(1).optional(),
});
export type ModuleChange = Immutable<z.infer<typeof moduleChange>>;

/** Code that imports a module. */
export const moduleUser = z.strictObject({
  kind: codeKind,
  name: z.string(),
  /** As of the last check, which a change of the module makes again. */
  compiles: z.boolean(),
});
export type ModuleUser = Immutable<z.infer<typeof moduleUser>>;

/** A module as it is stored. */
export const moduleDefinition = z.strictObject({
  UID: z.string(),
  name: z.string(),
  code: z.string(),
  /** Starts at 1 and rises by 1 with every change. */
  version: z.int().min(1),
  /** Without it the code is kept as a draft, and what imports it goes on with an older version. */
  compiles: z.boolean(),
  diagnostics: z.array(diagnostic),
  /** What imports it itself, by kind and name. */
  usedBy: z.array(moduleUser),
});
export type ModuleDefinition = Immutable<z.infer<typeof moduleDefinition>>;

/** What the compiler says of it. */
export const moduleCheck = z.strictObject({ diagnostics: z.array(diagnostic) });

export const moduleCheckRequest = z.strictObject({
  code: endpointCode,
  /** The module that it is the code of: so that a circle of imports is found. */
  name: moduleName.optional(),
});
