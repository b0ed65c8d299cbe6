import { ChipList } from '../../../ui/chip.tsx';
import { SelectField } from '../../../ui/field.tsx';

interface TypesFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly values: readonly string[];
  /** What can be added. */
  readonly types: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly error?: string | undefined;
}

/** Types out of those that there are. */
export function TypesField({ label, values, types, onChange, ...frame }: TypesFieldProps) {
  const left = types.filter((type) => !values.includes(type));
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        {...frame}
        label={label}
        value=""
        disabled={left.length === 0}
        options={[
          { value: '', label: left.length === 0 ? 'No more' : 'Add one …' },
          ...left.map((type) => ({ value: type, label: type })),
        ]}
        onChange={(event) => {
          if (event.target.value !== '') onChange([...values, event.target.value]);
        }}
      />
      <ChipList
        label={`${label}, chosen`}
        items={values.map((value) => ({ key: value, text: value }))}
        onRemove={(type) => onChange(values.filter((one) => one !== type))}
      />
    </div>
  );
}
