import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { isNumeric } from './cell-text.ts';

interface FieldInputProps {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  /** In the place of what the type says. */
  readonly hint?: string | undefined;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}

const LONG_CHARACTERS = 60;
const FLAGS = [
  { value: '', label: 'No value' },
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];
const HINTS: Readonly<Record<string, string>> = {
  Time: 'Such as 2024-05-01T10:30Z',
  GeoPoint: 'Latitude, longitude',
  UID: 'UID of a node',
  Bytes: 'Base64',
};

/** A field of a node, edited as its type is. */
export function FieldInput({ name, type, text, error, onText, ...props }: FieldInputProps) {
  const frame = { label: name, error };
  if (type === 'Bool') {
    return (
      <SelectField
        {...frame}
        options={FLAGS}
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
    );
  }
  const isList = type.endsWith('[]');
  const hint = props.hint ?? (isList ? 'One in each line' : HINTS[type]);
  const isLong = text.includes('\n') || text.length > LONG_CHARACTERS;
  if (isList || type === 'Json' || type === 'Bytes' || (type === 'String' && isLong)) {
    return (
      <TextArea
        {...frame}
        hint={hint}
        dir="auto"
        isCode={type === 'Json' || type === 'Bytes'}
        rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
    );
  }
  return (
    <TextField
      {...frame}
      hint={hint}
      dir="auto"
      inputMode={isNumeric(type) ? 'decimal' : 'text'}
      value={text}
      onChange={({ target }) => onText(target.value)}
    />
  );
}
