import { useEffect, useState } from 'react';
import type { NAVIGATION_ICONS } from './navigation-icons.ts';

type Icons = typeof NAVIGATION_ICONS;

/**
 * The icon of a page. They come after the texts, in whose way they would be, and have their room
 * from the beginning; without them the menu is as useful.
 */
export function NavigationIcon({
  to,
  className,
}: {
  readonly to: string;
  readonly className?: string;
}) {
  const [icons, setIcons] = useState<Icons>();
  useEffect(() => {
    import('./navigation-icons.ts').then(
      (found) => setIcons(found.NAVIGATION_ICONS),
      () => undefined,
    );
  }, []);
  const Icon = icons?.[to];
  const classes = `size-4 shrink-0 ${className ?? ''}`;
  return Icon === undefined ? (
    <span className={classes} />
  ) : (
    <Icon className={classes} aria-hidden />
  );
}
