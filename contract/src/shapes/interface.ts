import { z } from 'zod';
import { INTERFACE_NAME_CHARACTERS_MAX } from '../limits.ts';
import type { Immutable } from '../immutable.ts';
import { author } from './build.ts';

export const interfaceName = z
  .string()
  .max(INTERFACE_NAME_CHARACTERS_MAX)
  .regex(
    /^[A-Za-z\d][\w.-]*$/,
    'must be letters, digits, "-", "_" and ".", and begin with a letter or digit',
  );

export const interfaceInPath = z.object({ name: interfaceName });

/** A front end that was uploaded (docs/interfaces.md). */
export const interfaceRecord = z.strictObject({
  name: z.string(),
  /** SHA-256 over its files, hexadecimal: the same files have the same one. */
  digest: z.string(),
  /** How many, and their bytes together. */
  files: z.int().min(1),
  bytes: z.int().min(1),
  uploadedAt: z.iso.datetime(),
  /** Null when a token did. */
  uploadedBy: author,
  /** Whether it is what the workspace serves (the setting `interface`). */
  chosen: z.boolean(),
});
export type InterfaceRecord = Immutable<z.infer<typeof interfaceRecord>>;
