import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { EXPORTED_KINDS, IMPORT_ACTIONS } from './definitions.ts';

/**
 * How it came to be: an import, a rollback, or what was found before one of them and that people
 * had made by other means.
 */
export const DEPLOYMENT_CAUSES = ['import', 'rollback', 'found'] as const;

/** A token that something was done with. */
export const usedToken = z.strictObject({ id: z.string(), name: z.string() });

/** A definition that a deployment has changed. */
export const deployedChange = z.strictObject({
  kind: z.enum(EXPORTED_KINDS),
  name: z.string(),
  action: z.enum(IMPORT_ACTIONS),
});

/** One state of the definitions that is kept. */
export const deployment = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  cause: z.enum(DEPLOYMENT_CAUSES),
  /** The deployment that a rollback has brought back; else null. */
  of: z.string().nullable(),
  /** Who did it; null when a token did that acts as nobody, and of what was found. */
  by: z.strictObject({ uid: z.string(), name: z.string() }).nullable(),
  /** The token that it was done with; null when a person had signed in. */
  token: usedToken.nullable(),
  /** SHA-256 of the files of all definitions, as they were afterwards: equal ones are equal. */
  digest: z.string(),
  mirror: z.boolean(),
  totals: z.record(z.enum(IMPORT_ACTIONS), z.int().min(0)),
});
export type Deployment = Immutable<z.infer<typeof deployment>>;

export const deploymentDetails = deployment.extend({
  /** What was changed; the first of them. */
  changes: z.array(deployedChange),
});
export type DeploymentDetails = Immutable<z.infer<typeof deploymentDetails>>;
