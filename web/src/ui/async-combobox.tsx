import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { classNames } from './class-names.ts';
import { describeError } from './error-text.ts';
import { CONTROL_CLASSES, describedBy, type FieldFrame, Frame } from './field.tsx';

interface AsyncComboboxProps<T> extends FieldFrame {
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly value: T | undefined;
  readonly onChange: (value: T | undefined) => void;
  /** Beside the text, what the answer depends on. */
  readonly queryKey: readonly unknown[];
  /** What fits a text; with an empty one, what to offer first. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly T[]>;
  readonly keyOf: (item: T) => string;
  readonly labelOf: (item: T) => string;
  /** At the right of the label in the list. */
  readonly detailOf: (item: T) => ReactNode;
}

/** One of many, by typing a part of its name: the server says what fits. */
export function AsyncCombobox<T>(props: AsyncComboboxProps<T>) {
  const { value, onChange, queryKey, find, keyOf, labelOf } = props;
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const asked = useDeferredValue(text.trim());
  const found = useQuery({
    queryKey: ['combobox', ...queryKey, asked],
    queryFn: ({ signal }) => find(asked, signal),
    enabled: isOpen,
    placeholderData: (last) => last,
  });
  return (
    <Combobox.Root
      items={found.data ?? []}
      filter={null}
      autoHighlight
      value={value ?? null}
      onValueChange={(next: T | null) => onChange(next ?? undefined)}
      itemToStringLabel={labelOf}
      isItemEqualToValue={(item: T, other: T) => keyOf(item) === keyOf(other)}
      onOpenChange={setIsOpen}
      // The label of what was chosen is nothing to look for.
      onInputValueChange={(next, { reason }) => setText(reason === 'input-change' ? next : '')}
      disabled={props.isDisabled === true}
    >
      <ComboboxControl {...props} />
      <ComboboxPopup {...props} text={asked} found={found} />
    </Combobox.Root>
  );
}

function ComboboxControl<T>(props: AsyncComboboxProps<T>) {
  const { label, error, placeholder, value } = props;
  const id = useId();
  return (
    <Frame {...frameOf(props)} id={id}>
      <Combobox.InputGroup className="relative">
        <Combobox.Input
          id={id}
          dir="auto"
          placeholder={placeholder}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={describedBy(id, props)}
          className={classNames(CONTROL_CLASSES, 'h-9', value !== undefined && 'pr-9')}
        />
        <Combobox.Clear
          aria-label={`Clear ${label}`}
          className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded-control text-muted hover:text-ink"
        >
          <X className="size-4" aria-hidden />
        </Combobox.Clear>
      </Combobox.InputGroup>
    </Frame>
  );
}

function frameOf({ label, hint, error, isLabelHidden, className }: FieldFrame): FieldFrame {
  return {
    label,
    hint,
    error,
    className,
    ...(isLabelHidden !== undefined && { isLabelHidden }),
  };
}

interface PopupProps<T> extends AsyncComboboxProps<T> {
  readonly text: string;
  readonly found: {
    readonly data: readonly T[] | undefined;
    readonly error: Error | null;
    readonly isFetching: boolean;
  };
}

function ComboboxPopup<T>({ text, found, keyOf, labelOf, detailOf }: PopupProps<T>) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <Combobox.Popup
          aria-busy={found.isFetching || undefined}
          className="max-h-[min(var(--available-height),20rem)] w-[var(--anchor-width)] min-w-56 overflow-y-auto rounded-card border bg-raised p-1 shadow-raised"
        >
          <Combobox.Status className="px-2.5 py-1.5 text-muted empty:hidden">
            {statusOf(text, found)}
          </Combobox.Status>
          <Combobox.List>
            {(item: T) => (
              <Combobox.Item
                key={keyOf(item)}
                value={item}
                className="option flex items-baseline justify-between gap-3 px-2.5 py-1.5 data-selected:font-medium"
              >
                <bdi className="min-w-0 truncate">{labelOf(item)}</bdi>
                <span className="shrink-0 text-[13px] text-muted">{detailOf(item)}</span>
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

function statusOf(text: string, { data, error, isFetching }: PopupProps<unknown>['found']) {
  if (error !== null) return describeError(error).message;
  if (data === undefined) return isFetching ? 'Looking…' : '';
  if (data.length > 0) return '';
  return text === '' ? 'There is nothing to choose.' : `Nothing matches “${text}”.`;
}
