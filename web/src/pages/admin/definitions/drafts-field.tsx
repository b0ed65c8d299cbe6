import { CheckboxField } from '../../../ui/field.tsx';

interface DraftsFieldProps {
  readonly isOn: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function DraftsField({ isOn, isDisabled, onChange }: DraftsFieldProps) {
  return (
    <CheckboxField
      label="Keep code that does not compile as drafts"
      hint="What a draft is to replace goes on running. Otherwise nothing is changed if code does not compile."
      checked={isOn}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
