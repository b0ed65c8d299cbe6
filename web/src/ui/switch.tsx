import { Switch as Base } from '@base-ui/react/switch';

interface SwitchProps {
  readonly label: string;
  /** Read out in place of the label, where several are called the same; begins with it. */
  readonly name?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

/** What takes effect at once; in a form that is sent, a checkbox. */
export function Switch({ label, name, isOn, onChange, isDisabled = false }: SwitchProps) {
  return (
    <label className="inline-flex items-center gap-2">
      <Base.Root
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={onChange}
        aria-label={name}
        className="flex h-5 w-9 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-55"
      >
        <Base.Thumb className="size-4 rounded-full bg-surface transition-transform data-checked:translate-x-4" />
      </Base.Root>
      <span>{label}</span>
    </label>
  );
}
