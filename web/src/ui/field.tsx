import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

export interface FieldFrame {
  readonly label: string;
  /** What to enter, below the label. */
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isLabelHidden?: boolean;
  readonly className?: string | undefined;
}

interface FrameProps extends FieldFrame {
  readonly id: string;
  readonly children: ReactNode;
}

/** Label, hint and error of one control; the control names the two in its `aria-describedby`. */
export function Frame({ id, label, hint, error, isLabelHidden, className, children }: FrameProps) {
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className={isLabelHidden === true ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[13px] text-muted">
          {hint}
        </p>
      )}
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-[13px] text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

/** What is read out with the control. */
export function describedBy(id: string, { hint, error }: FieldFrame): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  return ids.filter(Boolean).join(' ') || undefined;
}

export const CONTROL_CLASSES =
  'w-full min-w-0 rounded-control border border-line-strong bg-surface px-3 text-ink ' +
  'disabled:bg-sunken disabled:text-muted aria-invalid:border-danger';

const CODE_CLASSES = 'font-mono text-[13px]';

/** Its text, and not its label, is in the letters of code. */
interface CodeProps {
  readonly isCode?: boolean;
}

type TextFieldProps = FieldFrame & CodeProps & Omit<ComponentProps<'input'>, 'id' | 'className'>;

/** Takes what `register` of react-hook-form gives. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error, isLabelHidden, className, isCode, ...input } = props;
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} isLabelHidden={isLabelHidden ?? false}>
      <input
        {...input}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={describedBy(id, props)}
        className={classNames(
          CONTROL_CLASSES,
          'h-9',
          input.type === 'file' && 'py-1.5 file:mr-3',
          isCode === true && CODE_CLASSES,
        )}
      />
    </Frame>
  );
}

type TextAreaProps = FieldFrame & CodeProps & Omit<ComponentProps<'textarea'>, 'id' | 'className'>;

export function TextArea(props: TextAreaProps) {
  const { label, hint, error, isLabelHidden, className, isCode, ...area } = props;
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} isLabelHidden={isLabelHidden ?? false}>
      <textarea
        rows={4}
        {...area}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={describedBy(id, props)}
        className={classNames(CONTROL_CLASSES, 'py-2', isCode === true && CODE_CLASSES)}
      />
    </Frame>
  );
}

type NativeSelectProps = FieldFrame &
  Omit<ComponentProps<'select'>, 'id' | 'className'> & {
    readonly options: readonly { readonly value: string; readonly label: string }[];
  };

/** One of a few: the browser's own control, which every keyboard and every phone knows. */
export function SelectField(props: NativeSelectProps) {
  const { label, hint, error, isLabelHidden, className, options, ...select } = props;
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} isLabelHidden={isLabelHidden ?? false}>
      <select
        {...select}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={describedBy(id, props)}
        className={classNames(CONTROL_CLASSES, 'h-9')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}

type CheckboxFieldProps = Pick<FieldFrame, 'label' | 'hint' | 'className'> &
  Omit<ComponentProps<'input'>, 'id' | 'className' | 'type'>;

export function CheckboxField({ label, hint, className, ...input }: CheckboxFieldProps) {
  const id = useId();
  return (
    <div className={classNames('flex items-start gap-2', className)}>
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-[13px] text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
