import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { classNames } from './class-names.ts';
import { describeError } from './error-text.ts';
import { FormAlert } from './form-alert.tsx';
import { applyServerErrors } from './form-errors.ts';

interface ServerFormProps<T extends FieldValues> {
  readonly form: UseFormReturn<T>;
  /** What it rejects with is shown at the fields that the server names, or above them all. */
  readonly onSend: (values: T) => Promise<unknown>;
  /** With one, the fields are a group of that name. */
  readonly label?: string;
  /** The viewer may look at it and change nothing. */
  readonly isDisabled?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * A form that the server has the last word on: nothing that was entered is lost when it refuses.
 * What is in it has the form by `useFormContext` too.
 */
export function ServerForm<T extends FieldValues>(props: ServerFormProps<T>) {
  const { form, onSend, label, isDisabled = false, className, children } = props;
  const send = useMutation({
    mutationFn: (values: T) => onSend(values),
    onError: (error) => applyServerErrors(form, error),
  });
  // Told by `onError`; waited for all the same, so that the form is busy until then.
  const submit = form.handleSubmit((values) => send.mutateAsync(values).catch(() => undefined));
  return (
    <form
      noValidate
      className={classNames('flex flex-col gap-4', className)}
      onSubmit={(event) => {
        // What the server said of a value that no input holds would keep the form from being sent
        // again.
        form.clearErrors();
        void submit(event);
      }}
    >
      <fieldset className="contents" disabled={isDisabled} aria-label={label}>
        <FormAlert
          message={form.formState.errors.root?.message}
          requestId={describeError(send.error).requestId}
        />
        <FormProvider {...form}>{children}</FormProvider>
      </fieldset>
    </form>
  );
}
