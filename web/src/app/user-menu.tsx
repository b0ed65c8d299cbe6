import { useNavigate } from '@tanstack/react-router';
import { BookOpen, CircleUser, LogOut, Monitor, Moon, Sun, UserCog } from 'lucide-react';
import type { Viewer } from '../api/viewer.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { signOut } from './sign-out.ts';
import { theme, type ThemeChoice, useThemeChoice } from './theme.ts';

const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export function UserMenu({ viewer }: { readonly viewer: Viewer }) {
  const choice = useThemeChoice();
  const navigate = useNavigate();
  const next = NEXT_THEME[choice];
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={CircleUser} aria-label={`Account of ${viewer.name}`}>
          <span className="max-w-36 truncate max-sm:hidden">{viewer.name}</span>
        </Button>
      }
      items={[
        {
          label: 'Preferences',
          icon: UserCog,
          onSelect: () => void navigate({ to: '/preferences' }),
        },
        {
          label: `Theme: ${choice}`,
          hint: `Change to ${next}`,
          icon: THEME_ICONS[choice],
          onSelect: () => theme.choose(next),
        },
        {
          label: 'Documentation',
          icon: BookOpen,
          onSelect: () => window.location.assign('docs/'),
        },
        { label: 'Sign out', icon: LogOut, onSelect: () => void signOut() },
      ]}
    />
  );
}
