import type { Viewer } from '../api/viewer.ts';

export interface NavigationItem {
  /** A path of the router. */
  readonly to: string;
  readonly label: string;
  /** Further words by which the command palette finds it. */
  readonly words?: string;
  /** Who has it in the menu. */
  readonly isFor: (viewer: Viewer) => boolean;
  /** Who may open it by its address; those who have it in the menu when left out. */
  readonly mayOpen?: (viewer: Viewer) => boolean;
}

export interface NavigationGroup {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

export const everybody = () => true;
export const insiders = (viewer: Viewer) => !viewer.isGuest;
export const administrators = (viewer: Viewer) => viewer.seesAdministration;
