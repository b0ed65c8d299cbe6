import { Monitor, Moon, Sun } from 'lucide-react';
import { theme, useThemeChoice } from '../../../app/theme.ts';
import { Card } from '../../../ui/card.tsx';

const CHOICES = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;

/** Takes effect at once, in this browser. */
export function ThemeForm() {
  const choice = useThemeChoice();
  return (
    <Card title="Theme" description="Kept in this browser.">
      <fieldset>
        <legend className="sr-only">Theme</legend>
        <div className="grid gap-2 sm:grid-cols-3">
          {CHOICES.map(({ value, label, icon: Icon }) => (
            <label
              key={value}
              className="flex items-center gap-2 rounded-control border px-3 py-2 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="theme"
                checked={choice === value}
                onChange={() => theme.choose(value)}
                className="size-4 accent-accent"
              />
              <Icon className="size-4 shrink-0 text-muted" aria-hidden />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
    </Card>
  );
}
