; The installer of Windows, for one user and without rights of an administrator; `make_installer` makes it.
Target amd64-unicode
ManifestDPIAware true
SetCompressor /SOLID lzma
RequestExecutionLevel user
!include MUI2.nsh

Name "mshview ${VERSION}"
OutFile "${OUT}/mshview-${VERSION}-windows-x64-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\mshview"
InstallDirRegKey HKCU "Software\mshview" "Folder"
!define LISTED "Software\Microsoft\Windows\CurrentVersion\Uninstall\mshview"

!insertmacro MUI_PAGE_LICENSE "../LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\mshview.exe"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Russian"

; What belongs to the program, and nothing else that may stand in its folder.
!macro RemoveFiles
    Delete "$INSTDIR\mshview.exe"
    Delete "$INSTDIR\sbom.cdx.json"
    RMDir /r "$INSTDIR\_internal"
    RMDir /r "$INSTDIR\licences"
!macroend

Section
    !insertmacro RemoveFiles ; of an older version
    SetOutPath "$INSTDIR"
    File /r "${BUNDLE}/*"
    ; The start menu and "Open with" are those that the program writes itself.
    nsExec::Exec '"$INSTDIR\mshview.exe" install-desktop'
    WriteRegStr HKCU "Software\mshview" "Folder" "$INSTDIR"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr HKCU "${LISTED}" "DisplayName" "mshview"
    WriteRegStr HKCU "${LISTED}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${LISTED}" "DisplayIcon" "$INSTDIR\mshview.exe"
    WriteRegStr HKCU "${LISTED}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${LISTED}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
SectionEnd

Section "Uninstall"
    nsExec::Exec '"$INSTDIR\mshview.exe" install-desktop --remove'
    !insertmacro RemoveFiles
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR" ; only if it is empty now
    DeleteRegKey HKCU "${LISTED}"
    DeleteRegKey HKCU "Software\mshview"
SectionEnd
