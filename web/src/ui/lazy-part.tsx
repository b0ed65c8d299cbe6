import { Component, type ComponentType, createElement, type ReactNode, use } from 'react';
import { ErrorPanel } from './error-panel.tsx';

/** Code of the page that could not be fetched; nothing else of the page is lost by that. */
export class PartNotLoaded extends Error {
  /** Fetches it again; never rejects. */
  readonly again: () => Promise<void>;

  constructor(cause: unknown, again: () => Promise<void>) {
    super(
      'Its code could not be fetched: the server does not answer, or it has a newer version of this page.',
      { cause },
    );
    this.again = again;
  }
}

type Later<Props> = ((props: Props) => ReactNode) & {
  /** Fetches the code; never rejects. */
  readonly preload: () => Promise<void>;
};

/** What loads the parts that there are so far. */
export const parts: Set<() => Promise<void>> = new Set();

/**
 * A page whose code is fetched when it is first shown, or before by `preload`. When that fails it
 * throws `PartNotLoaded`, and the tab stays: the router's own would load the whole page again,
 * which loses the tab while the server is away.
 */
export function lazyPage<Module extends object>(
  load: () => Promise<Module>,
  name: keyof Module & string,
): Later<object> {
  return fetchedLater<object>(async () => Reflect.get(await load(), name) as ComponentType<object>);
}

function fetchedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  let hasFailed = false;
  const begin = async (): Promise<ComponentType<Props>> => {
    hasFailed = false;
    try {
      loaded = await load();
      return loaded;
    } catch (cause) {
      hasFailed = true;
      throw new PartNotLoaded(cause, preload);
    }
  };
  const preload = async (): Promise<void> => {
    if (loading === undefined || hasFailed) loading = begin();
    await loading.catch(() => undefined);
  };
  const Shown = (props: Props) => createElement(loaded ?? use((loading ??= begin())), props);
  return Object.assign(Shown, { preload });
}

/** The same for a part of a page, which says in its place that it could not be fetched. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  const Part = fetchedLater(load);
  parts.add(Part.preload);
  const Bounded = (props: Props) => (
    <PartBoundary>
      <Part {...props} />
    </PartBoundary>
  );
  return Object.assign(Bounded, { preload: Part.preload });
}

interface BoundaryState {
  readonly error: unknown;
}

class PartBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (!(error instanceof PartNotLoaded)) throw error;
    const retry = () => error.again().then(() => this.setState({ error: undefined }));
    return <ErrorPanel title="This part could not be shown" error={error} onRetry={retry} />;
  }
}
