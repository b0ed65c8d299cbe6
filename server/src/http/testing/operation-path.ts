import { z } from 'zod';
import type { Operation } from '@trellis/contract/operation.ts';

/**
 * A path of the operation: in the place of each parameter the first of its words, or the UID of
 * nothing.
 */
export function pathOf({ path, params }: Operation): string {
  return path.replaceAll(/\{\+?(\w+)\}/g, (_, name: string) => {
    const shape = params?.shape[name];
    return shape instanceof z.ZodEnum ? String(shape.options[0]) : '1'.repeat(22);
  });
}
