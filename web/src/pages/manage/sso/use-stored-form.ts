import { useState } from 'react';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { toastDone } from '../../../ui/toast.ts';

/**
 * A form over settings. They may be read again, with somebody else's changes, while it is filled
 * in: `base` is what the form was made of, and only what differs from that is to be sent.
 */
export function useStoredForm<S, T extends FieldValues>(stored: S, valuesOf: (stored: S) => T) {
  const [base, setBase] = useState(stored);
  const form = useForm<T>({ defaultValues: valuesOf(stored) as DefaultValues<T> });
  const onSaved = (saved: S, name?: string) => {
    setBase(saved);
    form.reset(valuesOf(saved));
    toastDone('The settings are saved', name);
  };
  return { form, base, onSaved };
}

/** For `setValueAs`. */
export function trimmed(text: unknown): unknown {
  return typeof text === 'string' ? text.trim() : text;
}
