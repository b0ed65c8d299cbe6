import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/**
 * The answer to `GET /api/openapi.json`: an OpenAPI document, version 3.1; its specification says
 * what is in it.
 */
export const apiDocument = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({}),
});
export type ApiDocument = Immutable<z.infer<typeof apiDocument>>;
