import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-strong',
  plain: 'bg-surface text-ink border-line-strong/50 hover:bg-sunken',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-sunken',
  danger: 'bg-danger text-on-danger border-transparent hover:opacity-90',
};

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 rounded-control border font-medium whitespace-nowrap ' +
  'select-none transition-colors disabled:opacity-55 disabled:cursor-not-allowed';

/** For what looks like a button and is a link or a trigger. */
export function buttonClasses(
  kind: ButtonKind = 'plain',
  size: 'small' | 'normal' = 'normal',
): string {
  return classNames(SHAPE, KINDS[kind], size === 'small' ? 'h-7 px-2.5 text-[13px]' : 'h-9 px-3.5');
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly kind?: ButtonKind;
  readonly size?: 'small' | 'normal';
  readonly icon?: LucideIcon;
  /** What the button started is under way: it cannot be pressed again, and says so. */
  readonly isBusy?: boolean;
  readonly children?: ReactNode;
}

export function Button(props: ButtonProps) {
  const { kind, size, icon: Icon, isBusy = false, className, disabled, children, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
      className={classNames(buttonClasses(kind, size), className)}
    >
      {isBusy ? (
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
      ) : (
        Icon && <Icon className="size-4 shrink-0" aria-hidden />
      )}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** What it does: read out, and shown when it is pointed at. */
  readonly label: string;
  readonly size?: 'small' | 'normal';
}

export function IconButton({ icon: Icon, label, size, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classNames(
        SHAPE,
        KINDS.quiet,
        size === 'small' ? 'size-7' : 'size-9',
        'text-muted hover:text-ink',
        className,
      )}
    >
      <Icon className="size-4" aria-hidden />
    </button>
  );
}
