import { Link } from '@tanstack/react-router';
import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import { classNames } from '../../ui/class-names.ts';

interface CodeItemLinkProps {
  readonly item: { readonly kind: CodeKind; readonly name: string };
  /** The name when left out. */
  readonly text?: string;
  readonly className?: string;
}

/** To where an item of code is looked at and changed. */
export function CodeItemLink({ item: { kind, name }, text = name, className }: CodeItemLinkProps) {
  const classes = classNames('text-accent underline', className);
  switch (kind) {
    case 'endpoint':
      return (
        <Link to="/endpoints/edit/$" params={{ _splat: name }} className={classes}>
          {text}
        </Link>
      );
    case 'module':
      // A package of npm has no page.
      if (name.startsWith('npm:')) return text;
      return (
        <Link to="/admin/build" search={{ module: name }} className={classes}>
          {text}
        </Link>
      );
    case 'migration':
      return (
        <Link to="/admin/migrations" className={classes}>
          {text}
        </Link>
      );
  }
}
