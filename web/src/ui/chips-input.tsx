import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useState } from 'react';
import { ChipList } from './chip.tsx';
import { CONTROL_CLASSES, describedBy, type FieldFrame, Frame } from './field.tsx';

interface ChipsInputProps extends FieldFrame {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly isDisabled?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/**
 * A list of texts: Enter or a comma adds what is typed, lines and commas in what is pasted make
 * several.
 */
export function ChipsInput(props: ChipsInputProps) {
  const { values, onChange, isDisabled = false, placeholder, maxLength, ...frame } = props;
  const id = useId();
  const { typed, chips, setChips, type, enter } = useTypedText(values, onChange);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if ((event.key === 'Enter' && typed.trim() !== '') || event.key === ',') {
      event.preventDefault();
      enter(typed);
    } else if (event.key === 'Backspace' && typed === '') {
      setChips(chips.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (!/[,\n]/.test(text)) return;
    event.preventDefault();
    enter(`${typed}${text}`);
  };
  return (
    <Frame {...frame} id={id}>
      <ChipList
        label={frame.label}
        items={chips.map((value) => ({ key: value, text: value }))}
        onRemove={
          isDisabled ? undefined : (value) => setChips(chips.filter((one) => one !== value))
        }
      />
      <input
        id={id}
        type="text"
        dir="auto"
        value={typed}
        disabled={isDisabled}
        placeholder={placeholder}
        maxLength={maxLength}
        aria-invalid={frame.error !== undefined || undefined}
        aria-describedby={describedBy(id, frame)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className={`${CONTROL_CLASSES} h-9`}
      />
    </Frame>
  );
}

/**
 * What is typed is the last of the values before it is entered, so that nothing is lost when a form
 * is sent; it becomes a chip only then: were it one as soon as the field loses the focus, the
 * button that is pressed would move away under the pointer.
 */
function useTypedText(values: readonly string[], onChange: ChipsInputProps['onChange']) {
  const [typed, setTyped] = useState('');
  /** The value that is being typed, if there is no chip like it. */
  const [last, setLast] = useState('');
  const isGone = last !== '' && !values.includes(last);
  useEffect(() => {
    if (!isGone) return;
    setTyped('');
    setLast('');
  }, [isGone]);
  const chips = last === '' ? values : values.filter((value) => value !== last);
  const setChips = (next: readonly string[]) => onChange(last === '' ? next : [...next, last]);
  const type = (text: string) => {
    const word = text.trim();
    const isNew = word !== '' && !chips.includes(word);
    setTyped(text);
    setLast(isNew ? word : '');
    onChange(isNew ? [...chips, word] : chips);
  };
  const enter = (text: string) => {
    const texts = text
      .split(/[,\n]/)
      .map((one) => one.trim())
      .filter((one) => one !== '');
    setTyped('');
    setLast('');
    onChange([...new Set([...chips, ...texts])]);
  };
  return { typed, chips, setChips, type, enter };
}
