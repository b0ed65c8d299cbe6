import { useMutation } from '@tanstack/react-query';
import {
  Download,
  FileJson,
  FolderOpen,
  ImageDown,
  Link as LinkIcon,
  Route,
  Save,
  Upload,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { saveDownload } from '../../ui/save-download.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import {
  GRAPH_FILE_BYTES_MAX,
  GraphFormatError,
  readGraphFile,
  writeGraphFile,
} from './graph-file.ts';
import { PathDialog } from './path-dialog.tsx';
import { pngOf, svgOf } from './picture-export.ts';
import { shapesOf } from './picture-shapes.ts';
import { SaveLayoutDialog, SavedLayoutsDialog } from './saved-layouts-dialogs.tsx';
import { ShareDialog } from './share-dialog.tsx';
import type { TypeColors } from './type-colors.ts';

interface GraphMenusProps {
  readonly editor: GraphEditor;
  readonly view: EditorView;
  readonly colors: TypeColors;
}

type OpenDialog = 'path' | 'save' | 'layouts' | 'share';

/** Paths, saved pictures, and what leaves the page. */
export function GraphMenus({ editor, view, colors }: GraphMenusProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  const isEmpty = view.drawing.nodes.size === 0;
  return (
    <>
      <Button icon={Route} onClick={() => setDialog('path')}>
        Find a path
      </Button>
      <SaveMenu editor={editor} isEmpty={isEmpty} onDialog={setDialog} />
      <ExportMenu editor={editor} isEmpty={isEmpty} colors={colors} />
      {dialog === 'path' && <PathDialog {...{ editor, view }} onClose={close} />}
      {dialog === 'save' && <SaveLayoutDialog editor={editor} onClose={close} />}
      {dialog === 'layouts' && <SavedLayoutsDialog editor={editor} onClose={close} />}
      {dialog === 'share' && <ShareDialog editor={editor} onClose={close} />}
    </>
  );
}

interface SaveMenuProps {
  readonly editor: GraphEditor;
  readonly isEmpty: boolean;
  readonly onDialog: (dialog: OpenDialog) => void;
}

function SaveMenu({ editor, isEmpty, onDialog }: SaveMenuProps) {
  const file = useRef<HTMLInputElement>(null);
  const { mutate: openFile } = useOpenFile(editor);
  const items: readonly MenuItem[] = [
    {
      label: 'Save layout',
      hint: 'Under a name, for yourself',
      icon: Save,
      isDisabled: isEmpty,
      onSelect: () => onDialog('save'),
    },
    { label: 'Saved layouts', icon: FolderOpen, onSelect: () => onDialog('layouts') },
    {
      label: 'Share as a link',
      icon: LinkIcon,
      isDisabled: isEmpty,
      onSelect: () => onDialog('share'),
    },
    {
      label: 'Open a file',
      hint: 'JSON that was exported here',
      icon: Upload,
      onSelect: () => file.current?.click(),
    },
  ];
  return (
    <>
      <Menu trigger={<Button icon={Save}>Save and open</Button>} items={items} />
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        aria-label="File of a graph"
        hidden
        onChange={({ target }) => {
          const chosen = target.files?.[0];
          if (chosen !== undefined) openFile(chosen);
          // The same file may be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

interface ExportMenuProps {
  readonly editor: GraphEditor;
  readonly isEmpty: boolean;
  readonly colors: TypeColors;
}

function ExportMenu({ editor, isEmpty, colors }: ExportMenuProps) {
  const { mutate: exportAs, isPending } = useExport(editor, colors);
  const trigger = (
    <Button icon={Download} disabled={isEmpty} isBusy={isPending}>
      Export
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[
        { label: 'SVG', icon: ImageDown, onSelect: () => exportAs('svg') },
        { label: 'PNG', icon: ImageDown, onSelect: () => exportAs('png') },
        {
          label: 'JSON',
          hint: 'Can be opened again',
          icon: FileJson,
          onSelect: () => exportAs('json'),
        },
      ]}
    />
  );
}

function useOpenFile(editor: GraphEditor) {
  return useMutation({
    mutationFn: async (file: File) => {
      if (file.size > GRAPH_FILE_BYTES_MAX) throw new GraphFormatError('The file is too large.');
      return readGraphFile(await file.text());
    },
    onSuccess: (picture, file) => {
      editor.open(`open ${file.name}`, picture);
      toastDone(`${file.name} is opened`);
    },
    onError: (error, file) => toastError(`${file.name} could not be opened`, error),
  });
}

function useExport(editor: GraphEditor, colors: TypeColors) {
  return useMutation({
    mutationFn: async (format: 'svg' | 'png' | 'json') => {
      const blob = await blobOf(editor, colors, format);
      await saveDownload(blob.stream(), `graph.${format}`);
    },
    onError: (error) => toastError('The picture could not be exported', error),
  });
}

async function blobOf(
  editor: GraphEditor,
  colors: TypeColors,
  format: 'svg' | 'png' | 'json',
): Promise<Blob> {
  const picture = editor.scene.picture();
  if (format === 'png') return pngOf(shapesOf(picture, colors));
  const isSvg = format === 'svg';
  return new Blob([isSvg ? svgOf(shapesOf(picture, colors)) : writeGraphFile(picture)]);
}
