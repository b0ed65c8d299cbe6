import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { describeError } from './error-text.ts';

/**
 * Puts what the server says of single fields (`details.fields[]`, open-shapes, section 2) beside
 * them, and everything else, with its hint, at `root`, for the alert of the form.
 */
export function applyServerErrors<T extends FieldValues>(
  form: UseFormReturn<T>,
  error: unknown,
): void {
  const known = new Set(Object.keys(form.getValues()));
  const rest: string[] = [];
  let isSaid = false;
  for (const { path, message } of fieldErrors(error)) {
    const name = path.split(/[.[\]]/).find((part) => known.has(part));
    if (name === undefined) rest.push(`${path}: ${message}`);
    // The first one is scrolled to.
    else form.setError(name as Path<T>, { type: 'server', message }, { shouldFocus: !isSaid });
    isSaid ||= name !== undefined;
  }
  if (isSaid && rest.length === 0) return;
  form.setError('root', { type: 'server', message: rest.join(' ') || textOf(error) });
}

function fieldErrors(error: unknown): { path: string; message: string }[] {
  if (!(error instanceof TrellisError)) return [];
  const fields: unknown = error.details?.['fields'];
  return Array.isArray(fields) ? fields.filter(isFieldError) : [];
}

function isFieldError(value: unknown): value is { path: string; message: string } {
  if (typeof value !== 'object' || value === null) return false;
  if (!('path' in value) || !('message' in value)) return false;
  return typeof value.path === 'string' && typeof value.message === 'string';
}

function textOf(error: unknown): string {
  const { message, hint } = describeError(error);
  return [message, hint].filter(Boolean).join(' ');
}
