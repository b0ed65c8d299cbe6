import { z } from 'zod';
import { namedShapes } from '../../contract/src/openapi/named-shapes.ts';

const NAMES = new Map<z.core.$ZodType, string>(
  [...namedShapes()].map(([name, shape]) => [shape, name]),
);

/** The name that a shape has in the OpenAPI document, or its members. */
export function shapeText(shape: z.core.$ZodType): string {
  const name = NAMES.get(shape);
  if (name !== undefined) return name;
  if (shape instanceof z.ZodNullable) return `${shapeText(shape.unwrap())} | null`;
  if (shape instanceof z.ZodOptional) return shapeText(shape.unwrap());
  if (shape instanceof z.ZodArray) return `${shapeText(shape.element)}[]`;
  return shape instanceof z.ZodObject ? membersText(shape) : 'JSON';
}

/** Such as `{ skip?, take? }`, and `{ items: Webhook[], total }`. */
export function membersText(shape: z.ZodObject): string {
  const members = Object.entries(shape.shape).map(([name, member]) => {
    const mark = isLeftOut(member) ? '?' : '';
    const text = shapeText(member);
    return /^(?!JSON)[A-Z]/.test(text) ? `${name}${mark}: ${text}` : `${name}${mark}`;
  });
  return `{ ${members.join(', ')} }`;
}

export function isLeftOut(shape: z.core.$ZodType): boolean {
  return z.safeParse(shape, undefined).success;
}
